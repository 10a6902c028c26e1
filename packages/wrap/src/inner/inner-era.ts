/**
 * Which era a command turned out to speak, kept from one start of it to the next. A client of the modern era wants a
 * server to be asked in its own words first; servers that end over a question they do not know are not asked again.
 */
export class InnerEra {
  readonly #wanted: 'legacy' | 'modern';
  #isModern: boolean | undefined;

  constructor(wanted: 'legacy' | 'modern') {
    this.#wanted = wanted;
  }

  /** Whether the next server is asked in the modern era before it is introduced in the legacy one. */
  get triesModern(): boolean {
    return this.#wanted === 'modern' && this.#isModern !== false;
  }

  /** Whether the server speaks the modern era, and is spoken to in it. */
  get isModern(): boolean {
    return this.#isModern === true;
  }

  /** A server answered, or ended without an answer. */
  learn(isModern: boolean): void {
    this.#isModern = isModern;
  }

  /** It ended for another reason. */
  forget(): void {
    this.#isModern = undefined;
  }
}
