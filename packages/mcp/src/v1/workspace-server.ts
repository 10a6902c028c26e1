import type {
  BaseToolCallback,
  McpServer,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  ResourceMetadata,
  ResourceTemplate,
} from '@modelcontextprotocol/sdk/server/mcp.js';
import type {
  AnySchema,
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
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { WorkspaceContext } from '../workspace/workspace-context.js';

/** What a handler gets: the SDK's context, and the workspace. */
export type WorkspaceExtra = RequestHandlerExtra<ServerRequest, ServerNotification> & {
  readonly workspace: WorkspaceContext;
};

type MaybePromise<T> = T | Promise<T>;
type Schema = ZodRawShapeCompat | AnySchema;

/** Handles a tool call with the workspace at hand. */
export type WorkspaceToolCallback<Input extends Schema | undefined = undefined> = BaseToolCallback<
  CallToolResult,
  WorkspaceExtra,
  Input
>;

/** The registration methods of `McpServer`, with `extra.workspace` in every handler. */
export interface WorkspaceRegistration {
  registerTool<Input extends Schema | undefined = undefined>(
    name: string,
    config: {
      title?: string;
      description?: string;
      inputSchema?: Input;
      outputSchema?: Schema;
      annotations?: ToolAnnotations;
      _meta?: Record<string, unknown>;
    },
    handler: WorkspaceToolCallback<Input>,
  ): RegisteredTool;

  registerPrompt(
    name: string,
    config: { title?: string; description?: string; argsSchema?: undefined },
    handler: (extra: WorkspaceExtra) => MaybePromise<GetPromptResult>,
  ): RegisteredPrompt;
  registerPrompt<Args extends ZodRawShapeCompat>(
    name: string,
    config: { title?: string; description?: string; argsSchema?: Args },
    handler: (args: ShapeOutput<Args>, extra: WorkspaceExtra) => MaybePromise<GetPromptResult>,
  ): RegisteredPrompt;

  registerResource(
    name: string,
    uri: string,
    config: ResourceMetadata,
    handler: (uri: URL, extra: WorkspaceExtra) => MaybePromise<ReadResourceResult>,
  ): RegisteredResource;
  registerResource(
    name: string,
    template: ResourceTemplate,
    config: ResourceMetadata,
    handler: (uri: URL, variables: Variables, extra: WorkspaceExtra) => MaybePromise<ReadResourceResult>,
  ): RegisteredResourceTemplate;
}

/** An `McpServer` whose handlers have `extra.workspace`. */
export type WorkspaceServer = WorkspaceRegistration & McpServer;
