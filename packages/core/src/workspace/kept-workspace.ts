import type { ClientState } from '../sources/client-state.js';
import type { ProjectChoice } from '../project/project.js';

/** What someone switched to, as it is kept. */
export type KeptProject = { readonly path: string } | { readonly name: string };

/**
 * What only this workspace knows, as plain data: enough for another process to continue with it. Grants nothing by
 * itself: `restore` canonicalises what it names and cuts it to the ceiling again.
 */
export interface KeptWorkspace {
  /** The result of the last question; absent if the client was not asked yet. */
  readonly client?: ClientState;
  /** What the client gave, valid or not. */
  readonly roots?: readonly { readonly uri: string; readonly name?: string }[];
  /** It gave roots before. If it has none now, it took them back. */
  readonly hasGiven?: boolean;
  /**
   * It told several workspaces different things at once: `roots` holds only what it told all of them, and no other
   * source takes over where that is nothing, until it answers again.
   */
  readonly disputed?: boolean;
  /** Places the user agreed to. */
  readonly consents?: readonly string[];
  readonly project?: KeptProject;
  /** Another value each time the client says that its roots changed, so that nobody takes an older answer for news. */
  readonly change?: string;
  /** It has not been asked since, or its answer has not come. A question that failed counts as asked. */
  readonly outdated?: boolean;
}

/** States in which a client need not be asked again right away. */
const SETTLED: ReadonlySet<ClientState> = new Set(['answered', 'empty', 'refused', 'silent', 'malformed']);

export function keepWorkspace(
  client: ClientState,
  known: Pick<KeptWorkspace, 'roots' | 'hasGiven' | 'disputed' | 'consents'>,
  choice: ProjectChoice | undefined,
  { change, outdated }: { readonly change: string | undefined; readonly outdated: boolean },
): KeptWorkspace {
  return {
    ...(SETTLED.has(client) && { client }),
    ...known,
    ...(choice && { project: choice.kind === 'root' ? { path: choice.path } : { name: choice.name } }),
    ...(change !== undefined && { change }),
    ...(outdated && { outdated }),
  };
}
