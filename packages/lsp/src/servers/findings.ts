import type { Root } from '@rootward/core';
import type { Environment } from '@rootward/core/platform';
import type { ServerDefinition } from './definition.js';
import { findServer, type ServerCommand, type ServerFinding } from './find-server.js';
import { missingServer } from './missing-server.js';

/** What is installed, looked for once as long as the roots are the same. */
export class Findings {
  readonly #environment: Environment;
  readonly #trust: boolean;
  readonly #roots: () => readonly Root[];
  #known = new Map<string, Promise<ServerFinding>>();

  constructor(environment: Environment, trustWorkspaceServers: boolean, roots: () => readonly Root[]) {
    this.#environment = environment;
    this.#trust = trustWorkspaceServers;
    this.#roots = roots;
  }

  /** Makes the next question look for programs again: one that was allowed may lie inside a root now. */
  forget(): void {
    this.#known = new Map();
  }

  find(definition: ServerDefinition): Promise<ServerFinding> {
    let finding = this.#known.get(definition.name);
    if (finding === undefined) {
      finding = findServer(definition, {
        environment: this.#environment,
        roots: this.#roots(),
        trustWorkspaceServers: this.#trust,
      });
      this.#known.set(definition.name, finding);
    }
    return finding;
  }

  /** The first that is installed of those that are known for a file. Rejects with what to install when there is none. */
  async firstOf(candidates: readonly ServerDefinition[], file: string): Promise<ServerDefinition> {
    const findings: { readonly definition: ServerDefinition; readonly finding: ServerFinding }[] = [];
    for (const definition of candidates) {
      const finding = await this.find(definition);
      if (finding.kind === 'found') return definition;
      findings.push({ definition, finding });
    }
    throw missingServer(file, findings);
  }

  async command(definition: ServerDefinition): Promise<ServerCommand> {
    const finding = await this.find(definition);
    if (finding.kind === 'found') return finding.command;
    throw missingServer(definition.name, [{ definition, finding }]);
  }
}
