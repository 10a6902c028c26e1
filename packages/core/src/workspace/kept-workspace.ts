import type { ClientState } from '../sources/client-state.js';
import { isObject } from '../platform/json.js';
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

/** Whether a workspace can be restored from this. Says nothing about what it names: that is looked up on use. */
export function isKeptWorkspace(value: unknown): value is KeptWorkspace {
  if (!isObject(value)) return false;
  const { client, roots, hasGiven, disputed, consents, project, change, outdated } = value;
  return (
    (client === undefined || [...SETTLED].some((state) => state === client)) &&
    isListOf(roots, isKeptRoot) &&
    isListOf(consents, isString) &&
    [hasGiven, disputed, outdated].every((flag) => flag === undefined || typeof flag === 'boolean') &&
    (change === undefined || isString(change)) &&
    (project === undefined || (isObject(project) && isString(project['path'] ?? project['name'])))
  );
}

function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isEntry));
}

function isKeptRoot(value: unknown): boolean {
  return (
    isObject(value) && isString(value['uri']) && (value['name'] === undefined || isString(value['name']))
  );
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

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
