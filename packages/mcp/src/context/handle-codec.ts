import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { SOURCE_KINDS, type Root, type SourceKind } from '@rootward/core';
import { RootwardMcpError } from '../error.js';
import { isObject } from '@rootward/core/platform';

/** A root as a handle holds it. */
interface HandleRoot {
  readonly path: string;
  readonly name?: string;
  readonly access?: Root['access'];
}

/** Part of what is signed, so that no other token made with the same key passes for a handle. */
const PURPOSE = 'rootward/handle';
const TTL_MS = 600_000;
/** A handle travels in every call that uses it, and through a model's context. */
const MAX_HANDLE_LENGTH = 4096;
const MIN_KEY_BYTES = 32;
const PRINCIPAL_DIGITS = 16;
/** How many valid handles are remembered. A caller passes the same one with every call; each is at most 4 KB. */
const MAX_VERIFIED = 64;
/** Without a configured key, handles are valid in this process only. Made for the first of them: few servers mint any. */
let processKey: Uint8Array | undefined;

/** Whose roots a handle carries. Those of the operator are there anyway, and may change. */
const CARRIED: ReadonlySet<SourceKind> = new Set<SourceKind>(['client', 'call']);

/** What a handle stands for. */
export interface HandleContent {
  readonly roots: readonly HandleRoot[];
  /** A directory in the working tree that the caller works in. */
  readonly tree?: string;
}

interface Payload extends HandleContent {
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Whom it was made for. */
  readonly principal: string;
}

/** The content of a handle whose signature is valid. */
interface Verified {
  readonly content: HandleContent;
  readonly until: number;
  readonly principal: string;
}

/** Signs and checks handles. Signed, not encrypted: anyone who holds one can read the paths in it. */
export class HandleCodec {
  readonly #key: string | Uint8Array | undefined;
  /** By the whole handle with its signature, which does not become invalid: the key stays the same. */
  readonly #verified = new Map<string, Verified>();
  #lastDigest: { readonly principal: string; readonly digest: string } | undefined;

  constructor(key?: string | Uint8Array, keyName = 'the key') {
    const bytes = key === undefined ? MIN_KEY_BYTES : Buffer.byteLength(key);
    if (bytes < MIN_KEY_BYTES) {
      throw new RootwardMcpError(
        'invalid-option',
        `Cannot sign handles: ${keyName} has ${String(bytes)} bytes, at least ${String(MIN_KEY_BYTES)} are needed`,
      );
    }
    this.#key = key;
  }

  /** Undefined when none of the roots is the client's, or when there are too many for a handle. */
  mintForClient(roots: readonly Root[], principal: string): string | undefined {
    const given = roots.filter(({ source }) => CARRIED.has(SOURCE_KINDS[source]));
    return this.mint(given, principal);
  }

  /** For these roots, from any source; undefined when there are none, or too many. */
  mint(roots: readonly Root[], principal: string, tree?: string): string | undefined {
    if (roots.length === 0) return undefined;
    const payload: Payload = {
      roots: roots.map((root) => toHandleRoot(root)),
      ...(tree !== undefined && { tree }),
      until: Date.now() + TTL_MS,
      principal: this.#digest(principal),
    };
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
    const handle = `${text}.${this.#sign(text)}`;
    return handle.length > MAX_HANDLE_LENGTH ? undefined : handle;
  }

  /** Throws `invalid-handle`. Does NOT check the roots: they are canonicalised and cut to the ceiling on use. */
  verify(handle: unknown, principal: string): HandleContent {
    const payload = this.#read(handle);
    if (payload.principal !== this.#digest(principal)) throw invalidHandle('it was made for someone else');
    if (Date.now() >= payload.until) throw invalidHandle('it has expired');
    return payload.content;
  }

  /** Checks the signature only. The caller checks each time whom the handle was made for and whether it has expired. */
  #read(handle: unknown): Verified {
    const known = typeof handle === 'string' ? this.#verified.get(handle) : undefined;
    if (known !== undefined) return known;
    const [text, signature, ...rest] = typeof handle === 'string' ? handle.split('.') : [];
    if (typeof handle !== 'string' || text === undefined || signature === undefined || rest.length > 0) {
      throw invalidHandle('it is not a handle');
    }
    // As text: the same bytes can be spelt in several ways, and what was revoked is known by its text.
    const expected = Buffer.from(this.#sign(text));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw invalidHandle('it was not made here, or was altered');
    }
    const payload: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!isPayload(payload)) throw invalidHandle('it is not a handle');
    const { roots, tree, until, principal } = payload;
    const verified = { content: tree === undefined ? { roots } : { roots, tree }, until, principal };
    if (handle.length <= MAX_HANDLE_LENGTH) this.#keep(handle, verified);
    return verified;
  }

  #keep(handle: string, verified: Verified): void {
    this.#verified.set(handle, verified);
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size <= MAX_VERIFIED) return;
      this.#verified.delete(oldest);
    }
  }

  #digest(principal: string): string {
    if (this.#lastDigest?.principal !== principal) {
      const digest = hash('sha256', principal, 'base64url').slice(0, PRINCIPAL_DIGITS);
      this.#lastDigest = { principal, digest };
    }
    return this.#lastDigest.digest;
  }

  #sign(text: string): string {
    const key = this.#key ?? (processKey ??= randomBytes(MIN_KEY_BYTES));
    return createHmac('sha256', key).update(`${PURPOSE}.${text}`).digest('base64url');
  }
}

function invalidHandle(problem: string): RootwardMcpError {
  return new RootwardMcpError('invalid-handle', `Cannot use the workspace handle: ${problem}`, {
    instruction: 'Omit `workspace`, or call workspace_info for a new one',
  });
}

function toHandleRoot({ path, name, access }: Root): HandleRoot {
  return { path, name, ...(access === 'read-only' && { access }) };
}

function isPayload(value: unknown): value is Payload {
  return isObject(value) && Array.isArray(value['roots']) && typeof value['until'] === 'number';
}
