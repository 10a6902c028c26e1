import { diffRoots, resolveSnapshot, viewSnapshot } from '@rootward/core';
import type { Clock, RequestFacts, Root, RootsPort, Snapshot, Sources, WorkspaceView } from '@rootward/core';
import { within } from '@rootward/core/platform';
import { Callers, type PreparedWorkspace } from '@rootward/mcp/host';
import { placeOf } from './place-of.js';
import type { CallRoots, Declaration, RootsListener } from './call-roots.js';

type Answer = NonNullable<RequestFacts['answer']>;

/** As for clients of the legacy era: asking may cost one hundredth of the time. */
const FRESHNESS = 100;
const MIN_FRESH_MS = 250;
const MAX_FRESH_MS = 5 * 60_000;
const ANSWER_MS = 60_000;
const MISSING: Answer = { missing: true };

/**
 * The roots of a client of the modern era, which can only be asked inside a call of its own. What it answers counts
 * for the calls that follow shortly after; nothing it leaves out is made up from hints.
 */
export class ModernRoots implements CallRoots {
  readonly callers: Callers;
  readonly #kind: 'local' | 'http';
  readonly #sources: Sources;
  readonly #port: RootsPort;
  readonly #onChange: RootsListener;
  readonly #clock: Clock;
  #declaration: Declaration = { roots: false, listChanged: false, clientInfo: undefined };
  #answer: Answer | undefined;
  #freshUntil = 0;
  #asking: Promise<void> | undefined;
  #snapshot: Snapshot;
  readonly #limited: Disposable | undefined;
  readonly #disposed = new AbortController();

  private constructor(
    callers: Callers,
    kind: 'local' | 'http',
    sources: Sources,
    port: RootsPort,
    onChange: RootsListener,
    clock: Clock,
    first: Snapshot,
  ) {
    this.callers = callers;
    this.#kind = kind;
    this.#sources = sources;
    this.#port = port;
    this.#onChange = onChange;
    this.#clock = clock;
    this.#snapshot = first;
    // What the operator takes away is gone at once, not with the next call.
    this.#limited = sources.limits?.onDidChange(
      () => void this.#resolve(undefined).then((now) => this.#replace(now)),
    );
  }

  static async open(
    prepared: PreparedWorkspace,
    kind: 'local' | 'http',
    port: RootsPort,
    onChange: RootsListener,
  ): Promise<ModernRoots> {
    const sources = await prepared.sources(kind);
    const facts = { declaresRoots: false, clientInfo: undefined, answer: undefined, meta: undefined };
    return new ModernRoots(
      new Callers(prepared, () => true),
      kind,
      sources,
      port,
      onChange,
      prepared.clock,
      await resolveSnapshot(sources, facts, { now: Date.now() }),
    );
  }

  current(): readonly Root[] {
    return this.#snapshot.roots;
  }

  snapshot(): Snapshot {
    return this.#snapshot;
  }

  declare(declaration: Declaration): { readonly mustAsk: boolean } {
    this.#declaration = declaration;
    return { mustAsk: this.#canAsk() };
  }

  begin(): Promise<readonly Root[]> {
    return Promise.resolve(this.#canAsk() ? [] : this.current());
  }

  changed(): void {
    this.#freshUntil = 0;
  }

  /** Fails with `ambiguous-tree` where nobody can tell which working tree the caller works in. */
  async forCall(meta: unknown, mayAsk: boolean): Promise<readonly Root[]> {
    await this.#refresh(mayAsk);
    const view = async (): Promise<WorkspaceView> =>
      viewSnapshot(meta === undefined ? this.#snapshot : await this.#resolve(meta));
    return placeOf(await view(), this.callers, {
      meta,
      client: this.#declaration.clientInfo?.name,
      transport: this.#kind,
      came: this.callers.arrive(),
      lookAgain: async () => {
        this.changed();
        await this.#refresh(mayAsk);
        return view();
      },
    });
  }

  async #refresh(mayAsk: boolean): Promise<void> {
    if (mayAsk && this.#canAsk() && this.#clock.now() >= this.#freshUntil) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
    }
    if (mayAsk) await this.#asking;
    this.#replace(await this.#resolve(undefined));
  }

  dispose(): void {
    this.#disposed.abort();
    this.#limited?.[Symbol.dispose]();
  }

  #canAsk(): boolean {
    return this.#declaration.roots && this.#sources.clientRoots !== 'ignore';
  }

  async #ask(): Promise<void> {
    const asked = this.#clock.now();
    const asking = new AbortController();
    let fresh = MIN_FRESH_MS;
    try {
      const answer = this.#port.ask(asking.signal);
      answer.catch(() => undefined);
      // Not a signal made of others: Node 20 forgets one that only waits for its time.
      const limit = { milliseconds: ANSWER_MS, clock: this.#clock, signal: this.#disposed.signal };
      const inTime = await within(answer, limit);
      this.#answer = inTime ? { result: await answer } : MISSING;
      // One that gives no answer may give one to the next call.
      if (inTime) fresh = Math.max((this.#clock.now() - asked) * FRESHNESS, MIN_FRESH_MS);
    } catch (error) {
      this.#answer = typeof error === 'object' && error !== null && 'code' in error ? { error } : MISSING;
    } finally {
      asking.abort();
    }
    this.#freshUntil = this.#clock.now() + Math.min(fresh, MAX_FRESH_MS);
  }

  #resolve(meta: unknown): Promise<Snapshot> {
    const { roots, clientInfo } = this.#declaration;
    const answer = this.#canAsk() ? (this.#answer ?? MISSING) : undefined;
    const facts = { declaresRoots: roots, clientInfo, answer, meta };
    return resolveSnapshot(this.#sources, facts, { now: Date.now() });
  }

  #replace(snapshot: Snapshot): void {
    const { added, removed, primaryChanged } = diffRoots(this.current(), snapshot.roots);
    this.#snapshot = snapshot;
    if (added.length === 0 && removed.length === 0 && !primaryChanged) return;
    this.#onChange(snapshot.roots, removed.length > 0);
  }
}
