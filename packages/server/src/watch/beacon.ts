import { chmodSync, unlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Disposable } from '@rootward/core';
import { disposable } from '@rootward/core/platform';
import { makeRuntimeFolder, socketPath } from './runtime-folder.js';

const OWNER_ONLY = 0o600;

/**
 * Opens the small socket by which a page finds this process. Everything else is loaded by `connect` when a page comes.
 * Where the socket cannot be had, the server does without. It never keeps the process alive.
 */
export async function openBeacon(folder: string, connect: (socket: Socket) => void): Promise<Disposable> {
  const nothing = disposable(() => undefined);
  // Windows has no sockets in folders, and its pipes are open to every process.
  if (process.platform === 'win32' || !makeRuntimeFolder(folder)) return nothing;
  const path = socketPath(folder, process.pid);
  if (path === undefined) return nothing;
  const { createServer } = await import('node:net');
  removeSocket(path);
  const server = createServer(connect);
  server.on('error', () => undefined);
  server.listen(path, () => {
    try {
      chmodSync(path, OWNER_ONLY);
    } catch {
      server.close();
    }
  });
  server.unref();
  const remove = (): void => removeSocket(path);
  process.once('exit', remove);
  return disposable(() => {
    process.removeListener('exit', remove);
    server.close();
    removeSocket(path);
  });
}

function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // There is no such file.
  }
}
