import { containsPath, hostPathStyle } from '@rootward/core';
import type { Root } from '@rootward/core';
import { findProgram } from '../programs/find-program.js';
import type { Variables } from './tool-environment.js';

const NAMES = ['jq', 'gojq'];

/** Finds jq or gojq for tools; looked up once, since `PATH` does not change while the server runs. */
export class JsonTools {
  readonly #environment: Variables;
  #found: Promise<readonly string[]> | undefined;

  constructor(environment: Variables) {
    this.#environment = environment;
  }

  /** Never one inside a root: the workspace must not decide what runs here. */
  async find(roots: readonly Root[]): Promise<string | undefined> {
    this.#found ??= this.#look();
    return (await this.#found).find(
      (program) => !roots.some((root) => !root.broad && containsPath(root.path, program, hostPathStyle)),
    );
  }

  async #look(): Promise<readonly string[]> {
    const options = { environment: this.#environment, roots: [] };
    const found = await Promise.all(NAMES.map((name) => findProgram(name, options)));
    return found.flatMap((program) => (program === undefined ? [] : [program]));
  }
}
