import { sharedMethod, type SharedMethod } from './replace-method.js';

/** What lives as long as a connection. */
interface Connection {
  dispose(): void;
}

/** A connection that is being opened, and the one before it. */
export interface Opened<One extends Connection> {
  readonly opened: One;
  readonly previous: One | undefined;
}

/** What a server does for each transport. */
interface Connecting<One extends Connection> {
  /** What it opens ends when either side closes the transport. */
  open(transport: object): Opened<One>;
  reopen(previous: One | undefined): void;
}

/** Takes the place of `connect`. */
export function connectHook<One extends Connection>(
  connectingOf: (server: object) => Connecting<One>,
): SharedMethod {
  return sharedMethod('connect', async (server, connect, [transport]) => {
    if (!isTransport(transport)) return connect(transport);
    const connecting = connectingOf(server);
    const { opened, previous } = connecting.open(transport);
    endWith(transport, opened);
    try {
      return await connect(transport);
    } catch (error) {
      // The SDK refuses a second transport. The first one stays connected, with the roots of its own client.
      connecting.reopen(previous);
      opened.dispose();
      throw error;
    }
  });
}

interface ClosableTransport {
  onclose?: (() => void) | undefined;
}

function endWith(transport: ClosableTransport, opened: Connection): void {
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    opened.dispose();
  };
}

function isTransport(value: unknown): value is ClosableTransport {
  return typeof value === 'object' && value !== null;
}
