import { randomBytes } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { RequestStateCodec, ServerContext } from '@modelcontextprotocol/server';
import type { Root } from '@rootward/core';
import { RootwardMcpError } from '../error.js';
import { isObject } from '../stdio/message.js';
import type { HandleRoot } from '../workspace/modern-request.js';
import type { PreparedWorkspace } from '../workspace/prepared-workspace.js';
import { principalOf } from './principal.js';

/** Minted by us for this purpose, so that no other token signed with the same key passes for a handle. */
const PURPOSE = 'rootward/handle';
const TTL_SECONDS = 600;
/** A handle travels in every call that uses it, and through a model's context. */
const MOST_BYTES = 4096;
const LEAST_KEY_BYTES = 32;
/** Without a configured key, handles are good within this process only. */
const PROCESS_KEY = randomBytes(LEAST_KEY_BYTES);

const INSTRUCTION = 'Omit `workspace`, or call workspace_info for a new one';
const PROBLEMS: Readonly<Record<string, string>> = {
  bind: 'it was made for someone else',
  expired: 'it has expired',
  mac: 'it was not made here, or was altered',
  malformed: 'it is not a handle',
};
/** Roots that someone other than the operator gave. The operator's are there anyway, and may change. */
const GUEST_SOURCES: ReadonlySet<Root['source']> = new Set(['client', 'request', 'handle', 'consent']);

interface Payload {
  readonly purpose: typeof PURPOSE;
  readonly roots: readonly HandleRoot[];
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Checking a signature costs a good part of a call; the least recently used results go first. */
const MOST_VERIFIED = 256;

/** Signs and checks handles. Signed, not encrypted: whoever holds one can read the paths in it. */
export class HandleCodec {
  readonly #codec: RequestStateCodec<Payload>;
  /** What was found good, by handle and principal: computation, not state. */
  readonly #verified = new Map<string, Payload>();

  constructor(key: string | Uint8Array) {
    const bytes = Buffer.byteLength(key);
    if (bytes < LEAST_KEY_BYTES) {
      throw new RootwardMcpError(
        'invalid-option',
        `Cannot sign handles: the key has ${String(bytes)} bytes, at least ${String(LEAST_KEY_BYTES)} are needed`,
      );
    }
    this.#codec = createRequestStateCodec<Payload>({ key, ttlSeconds: TTL_SECONDS, bind: principalOf });
  }

  /** Undefined when none of the roots is the client's, or when there are too many for a handle. */
  mint(roots: readonly Root[], ctx: ServerContext): Promise<string | undefined> {
    const given = roots.filter(({ source }) => GUEST_SOURCES.has(source));
    return this.mintFor(given, ctx);
  }

  /** Whosever the roots are; undefined when there are none, or too many. */
  async mintFor(roots: readonly Root[], ctx: ServerContext): Promise<string | undefined> {
    const held = roots.map((root) => toHandleRoot(root));
    if (held.length === 0) return undefined;
    const until = Date.now() + TTL_SECONDS * 1000;
    const handle = await this.#codec.mint({ purpose: PURPOSE, roots: held, until }, ctx);
    return handle.length > MOST_BYTES ? undefined : handle;
  }

  /** Rejects with `invalid-handle`. Does NOT check the roots: they are canonicalised and cut to the ceiling on use. */
  async verify(handle: string, ctx: ServerContext): Promise<readonly HandleRoot[]> {
    // A principal is JSON text and holds no NUL, so the first one ends it.
    const key = `${principalOf(ctx)}\0${handle}`;
    const known = this.#verified.get(key);
    this.#verified.delete(key);
    const payload = known ?? (await this.#check(handle, ctx));
    if (Date.now() >= payload.until) throw invalidHandle('it has expired');
    this.#verified.set(key, payload);
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size <= MOST_VERIFIED) break;
      this.#verified.delete(oldest);
    }
    return payload.roots;
  }

  async #check(handle: string, ctx: ServerContext): Promise<Payload> {
    let payload: unknown;
    try {
      payload = await this.#codec.verify(handle, ctx);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : '';
      throw invalidHandle(PROBLEMS[reason] ?? 'it cannot be checked', cause);
    }
    if (!isPayload(payload)) throw invalidHandle('it was made for another purpose');
    return payload;
  }
}

export function createHandleCodec(prepared: PreparedWorkspace): HandleCodec {
  const configured = prepared.environment['ROOTWARD_HANDLE_KEY'];
  const key = prepared.options.handleKey ?? (configured === '' ? undefined : configured);
  return new HandleCodec(key ?? PROCESS_KEY);
}

export function invalidHandle(problem: string, cause?: unknown): RootwardMcpError {
  return new RootwardMcpError('invalid-handle', `Cannot use the workspace handle: ${problem}`, {
    cause,
    instruction: INSTRUCTION,
  });
}

function toHandleRoot({ path, name, access }: Root): HandleRoot {
  return { path, name, ...(access === 'read-only' && { access }) };
}

function isPayload(value: unknown): value is Payload {
  return (
    isObject(value) &&
    value['purpose'] === PURPOSE &&
    Array.isArray(value['roots']) &&
    typeof value['until'] === 'number'
  );
}
