import type { ClientInfo, Disposable, Root, Snapshot } from '@rootward/core';
import { Emitter } from '@rootward/core/platform';
import { newSession } from '@rootward/mcp/host';
import type { CallRoots } from '../roots/call-roots.js';
import type { RawMessage } from '../wire/raw-message.js';

/** One client, as far as those see it who look at the process. */
export interface SeenSession {
  readonly id: string;
  readonly era: 'legacy' | 'modern';
  /** Name and version; empty until it has introduced itself. */
  readonly client: () => string;
  readonly snapshot: () => Snapshot;
  readonly onDidChange: (listener: () => void) => Disposable;
}

/** A call of a tool that was passed on or refused. */
export interface SeenCall {
  readonly session: string;
  /** Over HTTP with a token, who calls. */
  readonly principal: string | undefined;
  readonly tool: string;
  /** The first folder it works in; empty where there is none. */
  readonly path: string;
  /** Why it was refused; undefined where it was passed on. */
  readonly refusal: 'hidden-tool' | 'no-roots' | undefined;
  /** The request as it came. */
  readonly message: RawMessage;
}

/** Called when a call has its answer. */
export type SeenEnd = (failed: boolean) => void;

/** Told what the clients of a process do. */
export interface SessionObserver {
  /** While nobody looks, calls are not told. */
  readonly wanted: boolean;
  opened(session: SeenSession): Disposable;
  called(call: SeenCall): SeenEnd | undefined;
}

/** Shows one session to an observer. Costs nothing while nobody looks. */
export class ObservedSession {
  readonly #id = newSession();
  readonly #observer: SessionObserver | undefined;
  readonly #era: SeenSession['era'];
  readonly #principal: string | undefined;
  readonly #changes = new Emitter();
  #client = '';
  #seen: Disposable | undefined;

  constructor({
    observer,
    era,
    principal = '',
  }: {
    readonly observer?: SessionObserver | undefined;
    readonly principal?: string | undefined;
  } & Pick<SeenSession, 'era'>) {
    this.#observer = observer;
    this.#era = era;
    this.#principal = principal === '' ? undefined : principal;
  }

  open(roots: CallRoots): void {
    this.#seen = this.#observer?.opened({
      id: this.#id,
      era: this.#era,
      client: () => this.#client,
      snapshot: () => roots.snapshot(),
      onDidChange: (listener) => this.#changes.add(listener),
    });
  }

  introduced(client: ClientInfo | undefined): void {
    this.#client = `${client?.name ?? ''} ${client?.version ?? ''}`.trim();
    this.changed();
  }

  changed(): void {
    this.#changes.fire();
  }

  close(): void {
    this.#seen?.[Symbol.dispose]();
    this.#seen = undefined;
  }

  refused(message: RawMessage, refusal: NonNullable<SeenCall['refusal']>): void {
    this.#tell(message, [], refusal)?.(true);
  }

  passed(message: RawMessage, roots: readonly Root[]): SeenEnd | undefined {
    return this.#tell(message, roots, undefined);
  }

  #tell(message: RawMessage, [first]: readonly Root[], refusal: SeenCall['refusal']): SeenEnd | undefined {
    const observer = this.#observer;
    if (observer?.wanted !== true || message.method !== 'tools/call') return undefined;
    const tool = String(message.value('params', 'name'));
    const path = first?.path ?? '';
    return observer.called({
      session: this.#id,
      principal: this.#principal,
      tool,
      path,
      refusal,
      message,
    });
  }
}
