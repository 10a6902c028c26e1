import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { RootwardError } from '../../error.js';
import type { Pin, Platform } from '../../scope/pin/pin.js';
import { errnoOf } from '../../platform/errno.js';

const PRIVATE_MODE = 0o700;
const OTHERS_BITS = 0o077;

/**
 * A folder that only this user can enter, held open: names below it lead into this very folder, even if its path leads
 * elsewhere later. Links are not followed from the folder `rootward` on; above it they are the user's own.
 */
export class PrivateDirectory {
  readonly path: string;
  readonly #pin: Pin;
  readonly #platform: Platform;
  #closed = false;

  private constructor(pin: Pin, platform: Platform) {
    this.path = pin.path;
    this.#pin = pin;
    this.#platform = platform;
  }

  /** Opens a folder of the state directory by its path; undefined where it is missing and not to be made. */
  static open(path: string, platform: Platform, create: boolean): PrivateDirectory | undefined {
    const above = dirname(path);
    const home = dirname(above);
    if (create) mkdirSync(home, { recursive: true, mode: PRIVATE_MODE });
    let current: PrivateDirectory | undefined;
    try {
      current = new PrivateDirectory(platform.pin(home, { directory: true }), platform);
    } catch (error) {
      if (!create && errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
    for (const name of [basename(above), basename(path)]) {
      const parent: PrivateDirectory = current;
      try {
        current = parent.directory(name, create);
      } finally {
        parent.close();
      }
      if (current === undefined) return undefined;
    }
    return current;
  }

  /** A name for system calls. The caller keeps a final link from being followed. */
  child(name: string): string {
    return this.#held().child(name);
  }

  /** A folder in this one. Refuses a link in its place, and a folder of somebody else. */
  directory(name: string, create: boolean): PrivateDirectory | undefined {
    const child = this.child(name);
    if (create) {
      try {
        mkdirSync(child, PRIVATE_MODE);
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
    }
    let pin: Pin;
    try {
      pin = this.#platform.pin(child, { directory: true, noFollow: true });
    } catch (error) {
      if (!create && errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      requireOwn(pin);
    } catch (error) {
      pin.close();
      throw error;
    }
    return new PrivateDirectory(pin, this.#platform);
  }

  /** The name for reading the folder itself. */
  get self(): string {
    return this.#held().self;
  }

  /** Whether somebody has removed it meanwhile. */
  get isGone(): boolean {
    try {
      return statSync(this.self).nlink === 0;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return true;
      throw error;
    }
  }

  close(): void {
    if (!this.#closed) this.#pin.close();
    this.#closed = true;
  }

  /** After a pin is closed, its name may lead to any folder that was opened later. */
  #held(): Pin {
    if (this.#closed) throw Object.assign(new Error(`EBADF: ${this.path} was closed`), { code: 'EBADF' });
    return this.#pin;
  }
}

function requireOwn({ stats, path, self }: Pin): void {
  const uid = process.getuid?.();
  if (uid !== undefined && stats.uid !== uid) {
    throw new RootwardError(
      'history-unavailable',
      `Cannot keep history in ${path}: it belongs to another user`,
    );
  }
  // oxlint-disable-next-line no-bitwise -- permission bits
  if (uid !== undefined && (stats.mode & OTHERS_BITS) !== 0) chmodSync(self, PRIVATE_MODE);
}
