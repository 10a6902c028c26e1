import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type {
  McpServer,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  ResourceMetadata,
  ResourceTemplate,
} from '@modelcontextprotocol/sdk/server/mcp.js';
import type {
  AnyObjectSchema,
  SchemaOutput,
  ZodRawShapeCompat,
} from '@modelcontextprotocol/sdk/server/zod-compat.js';
import type { ServerResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { OlderRegistration } from './older-registration.js';
import type {
  Schema,
  WorkspaceExtra,
  WorkspacePromptCallback,
  WorkspaceReadCallback,
  WorkspaceReadTemplateCallback,
  WorkspaceToolCallback,
} from './workspace-callbacks.js';

/** The registration methods of `McpServer`, with `extra.workspace` in every handler. */
export interface WorkspaceRegistration extends OlderRegistration {
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
    handler: WorkspacePromptCallback,
  ): RegisteredPrompt;
  registerPrompt<Args extends ZodRawShapeCompat>(
    name: string,
    config: { title?: string; description?: string; argsSchema?: Args },
    handler: WorkspacePromptCallback<Args>,
  ): RegisteredPrompt;

  registerResource(
    name: string,
    uri: string,
    config: ResourceMetadata,
    handler: WorkspaceReadCallback,
  ): RegisteredResource;
  registerResource(
    name: string,
    template: ResourceTemplate,
    config: ResourceMetadata,
    handler: WorkspaceReadTemplateCallback,
  ): RegisteredResourceTemplate;
}

/** An `McpServer` whose handlers have `extra.workspace`. */
export type WorkspaceServer = WorkspaceRegistration & McpServer;

/** The method of `Server` that sets handlers, with `extra.workspace` in each. */
export interface WorkspaceRequests {
  setRequestHandler<T extends AnyObjectSchema>(
    schema: T,
    handler: (request: SchemaOutput<T>, extra: WorkspaceExtra) => ServerResult | Promise<ServerResult>,
  ): void;
}

/** A `Server` whose handlers have `extra.workspace`. */
export type WorkspaceLowLevelServer = WorkspaceRequests & Server;
