import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { Socket } from 'node:net';
import { isObject } from '@rootward/core/platform';
import { DoorKey } from './door-key.js';
import { reasonAgainstPage } from './page-process.js';
import { PROTOCOL } from './protocol.js';

const CHALLENGE_BYTES = 32;
const CHALLENGE = /^[\w-]{43}$/;
/** A page answers at once; a connection that says nothing is not kept. */
const PROOF_MS = 10_000;
/** A proof is much shorter. */
const MAX_PROOF_CHARS = 1024;
/** More connections that have proved nothing yet are not served. */
const MAX_STRANGERS = 16;

/** A random text that is used once, so that no answer can be used twice. */
export function newChallenge(): string {
  return randomBytes(CHALLENGE_BYTES).toString('base64url');
}

export function isChallenge(value: unknown): value is string {
  return typeof value === 'string' && CHALLENGE.test(value);
}

/** The words that a page, or a process, signs. With the pid, an answer for one process is none for another. */
export function signedWords(
  who: 'page' | 'process',
  pid: number,
  challenges: readonly [ofProcess: string, ofPage: string],
): readonly string[] {
  return ['rootward', String(PROTOCOL), who, String(pid), ...challenges];
}

export interface DoorOptions {
  /** The folder of the key. */
  readonly folder: string;
  /** Pids of the processes that this one has started. */
  readonly children: () => readonly number[];
}

/** The lock in front of what a process shows: only a page of the operator passes. */
export class Door {
  readonly #options: DoorOptions;
  #strangers = 0;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  /**
   * Resolves to whether the other side may see and change this process. It has to know the key, for a challenge that was
   * never used before, and must not be a child of this process. A refusal says why, and ends the connection.
   */
  async admit(socket: Socket): Promise<boolean> {
    if (this.#strangers >= MAX_STRANGERS) return refuse(socket, 'too many connections prove nothing');
    this.#strangers++;
    try {
      const challenge = newChallenge();
      send(socket, { type: 'challenge', protocol: PROTOCOL, challenge });
      const proof = await readProof(socket);
      const key = DoorKey.read(this.#options.folder);
      const { challenge: answered } = proof;
      if (
        !isChallenge(answered) ||
        !key.verify(proof['proof'], ...signedWords('page', process.pid, [challenge, answered]))
      )
        return refuse(socket, 'it does not prove that it is a page of this user');
      const problem = reasonAgainstPage(proof['pid'], {
        folder: realpathSync(this.#options.folder),
        challenge,
        children: this.#options.children(),
      });
      if (problem !== undefined) return refuse(socket, problem);
      send(socket, {
        type: 'welcome',
        proof: key.sign(...signedWords('process', process.pid, [challenge, answered])),
      });
      return true;
    } catch (error) {
      return refuse(socket, error instanceof Error ? error.message : String(error));
    } finally {
      this.#strangers--;
    }
  }
}

/** The first line, which must be an object. */
function readProof(socket: Socket): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve) => {
    let text = '';
    const settle = (line: string): void => {
      clearTimeout(timer);
      socket.off('data', read).off('close', end);
      socket.pause();
      resolve(parse(line));
    };
    const end = (): void => settle('');
    const read = (chunk: string): void => {
      text += chunk;
      if (text.length > MAX_PROOF_CHARS) settle('');
      else if (text.includes('\n')) settle(text);
    };
    const timer = setTimeout(end, PROOF_MS);
    timer.unref();
    socket.setEncoding('utf8').on('data', read).on('close', end);
  });
}

function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function send(socket: Socket, message: object): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
}

function refuse(socket: Socket, reason: string): false {
  if (!socket.destroyed)
    socket.end(`${JSON.stringify({ type: 'refused', reason })}\n`, () => socket.destroy());
  return false;
}
