import type { WorkspaceServer } from '@rootward/mcp';

/** Acts when the connection of this server closes, before whoever asked for that earlier. */
export function atClose({ server }: WorkspaceServer, act: () => void): void {
  const { onclose } = server;
  const both = (): void => {
    act();
    onclose?.();
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
  server.onclose = onclose === undefined ? act : both;
}
