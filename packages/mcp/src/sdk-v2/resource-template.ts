import { ResourceTemplate, type ListResourcesResult, type UriTemplate } from '@modelcontextprotocol/server';
import type { WorkspaceCompletionContext } from '../context/completion-context.js';
import type { WorkspaceServerContext } from './workspace-server.js';

type MaybePromise<T> = T | Promise<T>;

/** The callbacks of a `WorkspaceResourceTemplate`. */
export interface WorkspaceTemplateCallbacks {
  /** Lists the resources of this template. */
  readonly list: ((ctx: WorkspaceServerContext) => MaybePromise<ListResourcesResult>) | undefined;
  /** Completes a variable of the template. */
  readonly complete?: Readonly<
    Record<string, (value: string, context: WorkspaceCompletionContext) => MaybePromise<string[]>>
  >;
}

/**
 * A resource template whose callbacks have the workspace. Only with a server that `withWorkspace` returned: elsewhere
 * nobody gives it to them.
 */
export class WorkspaceResourceTemplate extends ResourceTemplate {
  constructor(uriTemplate: string | UriTemplate, callbacks: WorkspaceTemplateCallbacks) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `withWorkspace` widens what they are called with
    super(uriTemplate, callbacks as ConstructorParameters<typeof ResourceTemplate>[1]);
  }
}
