import { isObject } from '@rootward/core/platform';
import type { WorkspaceContext } from './workspace-context.js';

/** What a completion knows: the arguments chosen so far, and the workspace. */
export interface WorkspaceCompletionContext {
  readonly arguments?: Record<string, string>;
  readonly workspace: WorkspaceContext;
}

/** A completion request with the workspace in its context, which both SDKs hand to the callback as it is. */
export function inCompletionContext(request: unknown, workspace: WorkspaceContext): unknown {
  if (!isObject(request) || !isObject(request['params'])) return request;
  const { context } = request['params'];
  const widened = { ...(isObject(context) ? context : {}), workspace };
  return { ...request, params: { ...request['params'], context: widened } };
}
