import type {
  AnySchema,
  SchemaOutput,
  ShapeOutput,
  ZodRawShapeCompat,
} from '@modelcontextprotocol/sdk/server/zod-compat.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Variables } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { WorkspaceContext } from '../context/workspace-context.js';

/** What a handler gets: the SDK's context, and the workspace. */
export type WorkspaceExtra = RequestHandlerExtra<ServerRequest, ServerNotification> & {
  readonly workspace: WorkspaceContext;
};

type MaybePromise<T> = T | Promise<T>;
export type Schema = ZodRawShapeCompat | AnySchema;

/** Handles a tool call with the workspace at hand. */
export type WorkspaceToolCallback<Input extends Schema | undefined = undefined> =
  Input extends ZodRawShapeCompat
    ? (args: ShapeOutput<Input>, extra: WorkspaceExtra) => MaybePromise<CallToolResult>
    : Input extends AnySchema
      ? (args: SchemaOutput<Input>, extra: WorkspaceExtra) => MaybePromise<CallToolResult>
      : (extra: WorkspaceExtra) => MaybePromise<CallToolResult>;

export type WorkspacePromptCallback<Args extends ZodRawShapeCompat | undefined = undefined> =
  Args extends ZodRawShapeCompat
    ? (args: ShapeOutput<Args>, extra: WorkspaceExtra) => MaybePromise<GetPromptResult>
    : (extra: WorkspaceExtra) => MaybePromise<GetPromptResult>;

export type WorkspaceReadCallback = (uri: URL, extra: WorkspaceExtra) => MaybePromise<ReadResourceResult>;

export type WorkspaceReadTemplateCallback = (
  uri: URL,
  variables: Variables,
  extra: WorkspaceExtra,
) => MaybePromise<ReadResourceResult>;
