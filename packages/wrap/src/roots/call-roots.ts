import type { ClientInfo, RequestFacts, Root, Snapshot, WorkspaceView } from '@rootward/core';
import type { Callers } from '@rootward/mcp/host';

/** Requests of the modern era whose result may ask something back. */
export const MAY_ASK_BACK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** What a client says about roots when it introduces itself. */
export interface Declaration {
  readonly roots: boolean;
  readonly listChanged: boolean;
  readonly clientInfo: ClientInfo | undefined;
}

/** The roots that a request of the modern era brings along, after its client was asked. */
export type RootsAnswer = NonNullable<RequestFacts['answer']>;

/** The roots of a connection changed. */
export type RootsListener = (roots: readonly Root[], isRemoval: boolean) => void;

/** Where the roots of one connection come from, in either era. */
export interface CallRoots {
  /** Whether a request of a client that declares roots has to bring an answer along. */
  readonly asksInCalls?: boolean;
  /** Who calls on this connection; undefined where nothing is kept between calls. */
  readonly callers?: Callers;
  /** What is known now, without asking. */
  current(): readonly Root[];
  /** The same with where they come from. */
  snapshot(): Snapshot;
  /** Whether the client has to be asked before anything is known for sure. */
  declare(declaration: Declaration): { readonly mustAsk: boolean };
  /** The client may be asked from now on. Resolves when its roots are known, or not to be had. */
  begin(): Promise<readonly Root[]>;
  /** The client says that its roots changed. */
  changed(): void;
  /**
   * The roots that one call works in; `answer` is what its client says about them in this call. A promise only where
   * something has to be waited for.
   */
  forCall(meta: unknown, answer?: RootsAnswer): readonly Root[] | Promise<readonly Root[]>;
  dispose(): void;
}

type Placed = Awaited<ReturnType<Callers['place']>>;
type Origin = Omit<Parameters<Callers['place']>[1], 'tree'>;

/**
 * The roots of the working tree that the caller of a call works in. Fails with `ambiguous-tree` where nobody can tell: a
 * wrapped server works in the first root, whatever it is asked. A promise only where something has to be waited for.
 */
export function placeOf(
  view: WorkspaceView,
  callers: Callers,
  origin: Origin,
): readonly Root[] | Promise<readonly Root[]> {
  const placed = callers.place(view, origin);
  return placed instanceof Promise ? placed.then(rootsOf) : rootsOf(placed);
}

function rootsOf(placed: Placed): readonly Root[] {
  const { roots } = placed.snapshot();
  if (roots.length > 0) placed.directory();
  return roots;
}
