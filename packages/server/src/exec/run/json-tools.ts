import type { Root } from '@rootward/core';
import { findProgram } from '@rootward/core/platform';
import { MINIMAL } from '../../settings/values/environment-mode.js';
import { inheritedVariables, pathFor, type InheritedVariables, type Variables } from './tool-environment.js';

const NAMES = ['jq', 'gojq'];

/** Finds jq or gojq for tools. */
export class JsonTools {
  readonly #inherited: InheritedVariables;
  /** For the roots of the last call: most calls see the same list, and `PATH` does not change while the server runs. */
  #found: { readonly roots: readonly Root[]; readonly program: Promise<string | undefined> } | undefined;

  constructor(environment: Variables) {
    this.#inherited = inheritedVariables(environment, MINIMAL);
  }

  /**
   * Never one inside a root: the workspace must not decide what runs here. A broad root may hold the whole system; of that
   * it is the programs of its projects.
   */
  find(roots: readonly Root[]): Promise<string | undefined> {
    if (this.#found?.roots !== roots) this.#found = { roots, program: this.#look(roots) };
    return this.#found.program;
  }

  async #look(all: readonly Root[]): Promise<string | undefined> {
    const environment = { PATH: pathFor(this.#inherited, all) };
    const options = { environment, roots: all.filter((root) => !root.broad) };
    for (const name of NAMES) {
      const found = findProgram(name, options);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
