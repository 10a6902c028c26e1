import type { Root } from '@rootward/core';
import { findProgram } from '../programs/find-program.js';
import type { Variables } from './tool-environment.js';

const NAMES = ['jq', 'gojq'];

/** Finds jq or gojq for tools. */
export class JsonTools {
  readonly #environment: Variables;
  /** For the roots of the last call: most calls see the same list, and `PATH` does not change while the server runs. */
  #found: { readonly roots: readonly Root[]; readonly program: Promise<string | undefined> } | undefined;

  constructor(environment: Variables) {
    this.#environment = environment;
  }

  /** Never one inside a root: the workspace must not decide what runs here. */
  find(roots: readonly Root[]): Promise<string | undefined> {
    if (this.#found?.roots !== roots) this.#found = { roots, program: this.#look(roots) };
    return this.#found.program;
  }

  async #look(all: readonly Root[]): Promise<string | undefined> {
    const options = { environment: this.#environment, roots: all.filter((root) => !root.broad) };
    const found = await Promise.all(NAMES.map((name) => findProgram(name, options)));
    return found.find((program) => program !== undefined);
  }
}
