import { diffRoots, resolveSnapshot, viewSnapshot } from '@rootward/core';
import type { Root, Snapshot, Sources } from '@rootward/core';
import { Callers, type PreparedWorkspace } from '@rootward/mcp/host';
import {
  placeOf,
  type CallRoots,
  type Declaration,
  type RootsAnswer,
  type RootsListener,
} from './call-roots.js';

/**
 * The roots of a client of the modern era, which can only be asked inside a call of its own. Each answer counts for its
 * call alone, as in a rootward server; nothing it leaves out is made up from hints.
 */
export class ModernRoots implements CallRoots {
  readonly callers: Callers;
  readonly asksInCalls: boolean;
  readonly #kind: 'local' | 'http';
  readonly #sources: Sources;
  readonly #onChange: RootsListener;
  readonly #limited: Disposable | undefined;
  #declaration: Declaration = { roots: false, listChanged: false, clientInfo: undefined };
  /** The roots of the server in place. Decides which server a call goes to, never what a call may do. */
  #snapshot: Snapshot;

  private constructor(
    callers: Callers,
    kind: 'local' | 'http',
    sources: Sources,
    onChange: RootsListener,
    first: Snapshot,
  ) {
    this.callers = callers;
    this.asksInCalls = sources.clientRoots !== 'ignore';
    this.#kind = kind;
    this.#sources = sources;
    this.#onChange = onChange;
    this.#snapshot = first;
    const { limits } = sources;
    // The server in place loses at once what the operator takes away, not with the next call.
    this.#limited = limits?.onDidChange(() =>
      this.#replace({ ...this.#snapshot, roots: limits.apply(this.#snapshot.roots) }),
    );
  }

  static async open(
    prepared: PreparedWorkspace,
    kind: 'local' | 'http',
    onChange: RootsListener,
  ): Promise<ModernRoots> {
    const sources = await prepared.sources(kind);
    const facts = { declaresRoots: false, clientInfo: undefined, answer: undefined, meta: undefined };
    const first = await resolveSnapshot(sources, facts, { now: Date.now() });
    return new ModernRoots(new Callers(prepared, () => true), kind, sources, onChange, first);
  }

  current(): readonly Root[] {
    return this.#snapshot.roots;
  }

  snapshot(): Snapshot {
    return this.#snapshot;
  }

  declare(declaration: Declaration): { readonly mustAsk: boolean } {
    this.#declaration = declaration;
    return { mustAsk: this.#mustAsk() };
  }

  begin(): Promise<readonly Root[]> {
    return Promise.resolve(this.#mustAsk() ? [] : this.current());
  }

  changed(): void {
    // Nothing is remembered that could have changed.
  }

  /** Fails with `ambiguous-tree` where nobody can tell which working tree the caller works in. */
  async forCall(meta: unknown, answer?: RootsAnswer): Promise<readonly Root[]> {
    const snapshot = await this.#resolve(undefined, answer);
    // A request that cannot be asked says nothing about where the client works.
    if (answer !== undefined || !this.#mustAsk()) this.#replace(snapshot);
    const view = viewSnapshot(meta === undefined ? snapshot : await this.#resolve(meta, answer));
    return placeOf(view, this.callers, {
      meta,
      client: this.#declaration.clientInfo?.name,
      transport: this.#kind,
      came: this.callers.arrive(),
    });
  }

  dispose(): void {
    this.#limited?.[Symbol.dispose]();
  }

  #mustAsk(): boolean {
    return this.#declaration.roots && this.asksInCalls;
  }

  #resolve(meta: unknown, answer: RootsAnswer | undefined): Promise<Snapshot> {
    const { clientInfo } = this.#declaration;
    const facts = { declaresRoots: answer !== undefined, clientInfo, answer, meta };
    return resolveSnapshot(this.#sources, facts, { now: Date.now() });
  }

  #replace(snapshot: Snapshot): void {
    const { added, removed, primaryChanged } = diffRoots(this.current(), snapshot.roots);
    this.#snapshot = snapshot;
    if (added.length === 0 && removed.length === 0 && !primaryChanged) return;
    this.#onChange(snapshot.roots, removed.length > 0);
  }
}
