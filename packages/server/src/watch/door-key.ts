import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { errnoOf, stateDirectory } from '@rootward/core/platform';
import { isOwnFolder } from './runtime-folder.js';

const KEY_BYTES = 32;
/** Base64url of so many bytes. */
const KEY_FORM = /^[\w-]{43}$/;
const OTHERS = 0o077;
const READ: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The start of the program, as far as it says where the key is. */
interface KeyPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/**
 * The folder of the key that the pages and processes of a user share. No tool reaches it, and no child in a sandbox sees
 * it.
 */
export function doorFolder({ environment, home }: KeyPlace): string {
  return join(stateDirectory(environment, home), 'door');
}

/** The key of the operator's door: a secret in a file that only this user can read. */
export class DoorKey {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /** Reads the key. Throws where there is none, or where others could have read or written it. */
  static read(folder: string): DoorKey {
    const file = keyFile(folder);
    return new DoorKey(Buffer.from(readKey(folder, file), 'base64url'));
  }

  /** The same, and makes the key where there is none. */
  static make(folder: string): DoorKey {
    const file = keyFile(folder);
    mkdirSync(dirname(folder), { recursive: true });
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    const half = `${file}.${process.pid}.tmp`;
    try {
      writeFileSync(half, randomBytes(KEY_BYTES).toString('base64url'), { mode: 0o600, flag: 'wx' });
      // Unlike a rename, it does not replace the key that another page has made meanwhile.
      linkSync(half, file);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    } finally {
      rmSync(half, { force: true });
    }
    return DoorKey.read(folder);
  }

  /** A proof of knowing the key, for these words and no others. */
  sign(...words: readonly string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(words)).digest('base64url');
  }

  verify(proof: unknown, ...words: readonly string[]): boolean {
    if (typeof proof !== 'string') return false;
    const expected = Buffer.from(this.sign(...words));
    const given = Buffer.from(proof);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

function keyFile(folder: string): string {
  return join(folder, 'key');
}

function readKey(folder: string, file: string): string {
  if (!isOwnFolder(folder)) throw unusable(folder, 'it is missing, a link, or open to others');
  let fd: number;
  try {
    fd = openSync(file, READ);
  } catch (error) {
    throw unusable(file, `it cannot be read (${errnoOf(error) ?? 'unknown error'})`);
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.uid !== userInfo().uid || (stats.mode & OTHERS) !== 0)
      throw unusable(file, 'it is not a file of this user alone');
    const text = stats.size > KEY_BYTES * 2 ? '' : readFileSync(fd, 'utf8');
    if (!KEY_FORM.test(text)) throw unusable(file, 'it is not a key; remove it, and start the page again');
    return text;
  } finally {
    closeSync(fd);
  }
}

function unusable(path: string, reason: string): Error {
  return new Error(`Cannot use the key ${path}: ${reason}`);
}
