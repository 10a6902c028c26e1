import { existsSync, writeSync } from 'node:fs';

/** How much a log line matters. */
export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** Tells the client how far the tool is; 100 in all unless said otherwise. */
export function progress(done: number, message?: string, total?: number): void {
  say({ type: 'progress', progress: done, message, total });
}

/** Writes a line to the client's log. */
export function log(level: LogLevel, message: string, logger?: string): void {
  say({ type: 'log', level, message, logger });
}

/** Whether the caller no longer waits. */
export function isCancelled(): boolean {
  const file = process.env['MCP_CANCEL_FILE'];
  return file !== undefined && file !== '' && existsSync(file);
}

/** False where nobody listens: run by hand, or the server has gone. */
export function say(message: object): boolean {
  const descriptor = Number(process.env['MCP_CHANNEL_FD']);
  if (!Number.isInteger(descriptor) || descriptor <= 2) return false;
  try {
    writeSync(descriptor, `\x1e${process.env['MCP_CHANNEL_TAG'] ?? ''}${JSON.stringify(message)}\n`);
    return true;
  } catch {
    return false;
  }
}
