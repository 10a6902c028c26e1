import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@rootward/core/platform';
import { DoorKey } from './door-key.js';
import { isOwnFolder } from './runtime-folder.js';

/** What the user was asked, and by whom. */
export interface ConsentQuestion {
  readonly message: string;
  /** The canonical path it is about. */
  readonly path: string;
  /** A digest of the principal that asks; empty without authentication. */
  readonly principal: string;
}

/** A yes that holds until it is taken back. */
export interface StandingConsent {
  readonly id: string;
  readonly message: string;
  readonly path: string;
  readonly since: number;
}

const ENDING = '.json';
const ID = /^[0-9a-f]{64}$/;
const MAX_BYTES = 64 * 1024;
const READ: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Each yes that holds until it is taken back, in a file of its own: nothing is lost where two processes write at once,
 * and one that is removed is gone for all of them at once. What somebody else could have put there does not count: each is signed
 * with the key of the page.
 */
export class StandingConsents {
  readonly #folder: string;
  readonly #door: string;

  /** `door` has the key that answers are signed with. */
  constructor(folder: string, door: string) {
    this.#folder = folder;
    this.#door = door;
  }

  /** Only to this very question: another folder, more access or another principal has to be asked about. */
  has(question: ConsentQuestion): boolean {
    return this.#read(idOf(question)) !== undefined;
  }

  keep(question: ConsentQuestion, since: number): void {
    const id = idOf(question);
    const file = join(this.#folder, id + ENDING);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (!isOwnFolder(this.#folder)) {
      throw new Error(`Cannot keep the answer: ${this.#folder} is a link, or others can write there`);
    }
    const half = `${file}.${process.pid}.tmp`;
    const proof = DoorKey.read(this.#door).sign(...signedWords(id, since));
    writeFileSync(half, JSON.stringify({ ...question, since, proof }), { mode: 0o600, flag: 'wx' });
    renameSync(half, file);
  }

  /** What was allowed, which is no longer; undefined where nothing was. */
  forget(id: string): StandingConsent | undefined {
    const known = this.#read(id);
    if (known !== undefined) rmSync(join(this.#folder, id + ENDING), { force: true });
    return known;
  }

  list(): readonly StandingConsent[] {
    const consents = this.#names().flatMap((name) => this.#read(name.slice(0, -ENDING.length)) ?? []);
    return consents.toSorted((one, other) => other.since - one.since);
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith(ENDING));
    } catch {
      return [];
    }
  }

  /** Undefined for anything but a file of this user that says what its name stands for, and is signed. */
  #read(id: string): StandingConsent | undefined {
    if (!ID.test(id) || !isOwnFolder(this.#folder)) return undefined;
    try {
      const value: unknown = JSON.parse(readOwn(join(this.#folder, id + ENDING)));
      if (!isObject(value)) return undefined;
      const { message, path, principal, since } = value;
      if (typeof message !== 'string' || typeof path !== 'string' || typeof principal !== 'string')
        return undefined;
      if (typeof since !== 'number' || idOf({ message, path, principal }) !== id) return undefined;
      if (!DoorKey.read(this.#door).verify(value['proof'], ...signedWords(id, since))) return undefined;
      return { id, message, path, since };
    } catch {
      return undefined;
    }
  }
}

function signedWords(id: string, since: number): readonly string[] {
  return ['rootward', 'consent', id, String(since)];
}

function idOf({ message, path, principal }: ConsentQuestion): string {
  return createHash('sha256')
    .update(JSON.stringify([principal, path, message]))
    .digest('hex');
}

function readOwn(file: string): string {
  const fd = openSync(file, READ);
  try {
    const stats = fstatSync(fd);
    const isOurs = stats.isFile() && stats.uid === userInfo().uid && stats.size <= MAX_BYTES;
    return isOurs ? readFileSync(fd, 'utf8') : '';
  } finally {
    closeSync(fd);
  }
}
