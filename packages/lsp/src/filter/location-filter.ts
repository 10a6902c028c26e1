import { hostPathStyle, readFileUri, type Scope } from '@rootward/core';

/**
 * Lets through what is in scope, under its canonical path, and counts the rest. A language server enforces no boundary:
 * everything it names passes through here before anyone sees it.
 */
export class LocationFilter {
  readonly #scope: Scope;
  readonly #known = new Map<string, string | undefined>();
  #outside = 0;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** How many locations were held back. */
  get outside(): number {
    return this.#outside;
  }

  admit(uri: string): string | undefined {
    if (!this.#known.has(uri)) this.#known.set(uri, this.#locate(uri));
    const path = this.#known.get(uri);
    if (path === undefined) this.#outside += 1;
    return path;
  }

  #locate(uri: string): string | undefined {
    const reading = readFileUri(uri, hostPathStyle);
    if (!reading.ok || reading.ambiguous) return undefined;
    try {
      const { path, exists } = this.#scope.locate(reading.path);
      return exists ? path : undefined;
    } catch {
      return undefined;
    }
  }
}
