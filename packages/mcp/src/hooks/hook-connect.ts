import { replaceMethod } from './replace-method.js';

/** What lives as long as a connection. */
interface Connection {
  dispose(): void;
}

/** Calls `open` for each transport. What it returns ends when either side closes the transport. */
export function hookConnect(
  server: object,
  open: (transport: object) => { readonly opened: Connection; readonly undo: () => void },
): void {
  replaceMethod(server, 'connect', (connect) => async (transport) => {
    if (!isTransport(transport)) return connect(transport);
    const { opened, undo } = open(transport);
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      opened.dispose();
    };
    try {
      return await connect(transport);
    } catch (error) {
      // The SDK refuses a second transport. The first one stays connected, with the roots of its own client.
      undo();
      opened.dispose();
      throw error;
    }
  });
}

function isTransport(value: unknown): value is { onclose?: (() => void) | undefined } {
  return typeof value === 'object' && value !== null;
}
