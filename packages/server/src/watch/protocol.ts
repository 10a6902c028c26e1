import type { OperatorLimit } from '@rootward/core';
import type { ActivityEvent } from '../audit/event-hub.js';

/** Grows when a page and a server of different versions could misunderstand each other. */
export const PROTOCOL = 6;

/** A root as the page shows it. */
export interface ShownRoot {
  readonly path: string;
  readonly name: string;
  readonly access: string;
  readonly source: string;
  readonly broad: boolean;
}

/** A checkout of a repository. */
export interface ShownTree {
  readonly path: string;
  readonly branch: string;
  /** Not the main one of its repository. */
  readonly linked: boolean;
}

/** Who called last, and where it works. */
export interface ShownCaller {
  /** Empty for the main agent. */
  readonly agent: string;
  /** Whether a hook of the client says who calls. */
  readonly named: boolean;
  readonly directory: string;
  /** The source that says so; empty where nobody can tell. */
  readonly known: string;
  readonly others: readonly string[];
  readonly last: number;
}

/** One connection of a client. */
export interface ShownSession {
  readonly id: string;
  readonly era: string;
  readonly since: number;
  readonly client: string;
  readonly clientState: string;
  readonly roots: readonly ShownRoot[];
  readonly rootCount: number;
  readonly trace: readonly { readonly source: string; readonly verdict: string; readonly detail: string }[];
  readonly rejected: readonly {
    readonly declared: string;
    readonly source: string;
    readonly reason: string;
  }[];
  readonly project: string | undefined;
  readonly callers: readonly ShownCaller[];
  /** Those of the repository of the first root. */
  readonly trees: readonly ShownTree[];
}

export interface ShownChild {
  readonly pid: number;
  readonly command: string;
  readonly kind: string;
  readonly name: string;
  readonly sandbox: string;
  readonly lastLines: readonly string[];
  readonly canRestart: boolean;
  readonly memoryKb: number | undefined;
}

/** A question that waits for a yes or no. */
interface ShownQuestion {
  readonly id: string;
  readonly message: string;
  readonly since: number;
  /** A yes may hold until it is taken back, not only for the session. */
  readonly canStand: boolean;
}

/** A yes that holds until it is taken back, for every process of the user. */
export interface ShownConsent {
  readonly id: string;
  readonly message: string;
  readonly path: string;
  readonly since: number;
}

/** What a process shows of itself, whole each time: it is small, and nothing can get lost. */
export interface ProcessState {
  readonly protocol: number;
  readonly pid: number;
  readonly version: string;
  readonly started: number;
  readonly transport: string;
  readonly directory: string;
  /** The newest. */
  readonly sessions: readonly ShownSession[];
  readonly sessionCount: number;
  readonly limits: readonly { readonly path: string; readonly limit: OperatorLimit }[];
  readonly children: readonly ShownChild[];
  readonly questions: readonly ShownQuestion[];
  readonly consents: readonly ShownConsent[];
  /** What does not hold for this process; empty where everything does. */
  readonly caveat: string;
}

/** One change of files that can be taken back. */
export interface ShownChange {
  readonly id: string;
  readonly time: string;
  readonly tool: string;
  readonly undone: boolean;
  readonly files: readonly { readonly path: string; readonly action: string }[];
}

/** What a change did to one file: a unified diff, or why there is none. */
export interface ShownDifference {
  readonly path: string;
  readonly diff: string;
  readonly note: string;
}

export interface UndoOutcome {
  readonly restored: readonly string[];
  readonly lost: readonly string[];
}

/** What a process says on its socket, one JSON document per line. */
export type FromProcess =
  | { readonly type: 'state'; readonly state: ProcessState }
  | { readonly type: 'events'; readonly events: readonly ActivityEvent[] }
  | { readonly type: 'answer'; readonly id: number; readonly result?: unknown; readonly error?: string };

/** What a page asks of it. */
export interface ToProcess {
  readonly id: number;
  readonly method:
    | 'ask'
    | 'limit'
    | 'lift'
    | 'end'
    | 'restart'
    | 'answer'
    | 'withdraw'
    | 'changes'
    | 'difference'
    | 'undo';
  readonly params: Readonly<Record<string, unknown>>;
}
