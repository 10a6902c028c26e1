import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 32;

/** Signs what a client carries from one round of a call to the next. Signed, not encrypted: it holds numbers only. */
export class StateSigner {
  readonly #key = randomBytes(KEY_BYTES);

  sign(call: string): string {
    return `${call}.${this.#digest(call).toString('base64url')}`;
  }

  /** The call a state was made for; undefined where it was not made here, or was altered. */
  verify(state: unknown): string | undefined {
    if (typeof state !== 'string') return undefined;
    const split = state.lastIndexOf('.');
    const call = state.slice(0, Math.max(split, 0));
    const given = Buffer.from(state.slice(split + 1), 'base64url');
    const expected = this.#digest(call);
    return given.length === expected.length && timingSafeEqual(given, expected) ? call : undefined;
  }

  #digest(call: string): Buffer {
    return createHmac('sha256', this.#key).update(call).digest();
  }
}
