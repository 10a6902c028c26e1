import { Deferred } from '@rootward/core/platform';
import type { Registration, Unregistration } from 'vscode-languageserver-protocol';

/** What a server has registered for after the handshake. It may register anew before it takes back the one before. */
export class Registrations {
  readonly #methods = new Map<string, string>();
  readonly #awaited = new Map<string, Deferred>();

  add({ id, method }: Registration): void {
    this.#methods.set(id, method);
    this.#awaited.get(method)?.resolve();
  }

  remove({ id }: Pick<Unregistration, 'id'>): void {
    this.#methods.delete(id);
  }

  has(method: string): boolean {
    return [...this.#methods.values()].includes(method);
  }

  /** Resolves once it has registered for a method. */
  async of(method: string): Promise<void> {
    if (this.has(method)) return;
    const awaited = this.#awaited.get(method) ?? new Deferred();
    this.#awaited.set(method, awaited);
    await awaited.promise;
  }
}
