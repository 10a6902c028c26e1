import type {
  BaseToolCallback,
  CacheHint,
  CallToolResult,
  GetPromptResult,
  HandlerResultTypeMap,
  Icon,
  InputRequiredResult,
  McpServer,
  ReadResourceResult,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  RequestMethod,
  RequestTypeMap,
  ResourceMetadata,
  ResourceTemplate,
  ScopeChallengeHandler,
  Server,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
  Variables,
} from '@modelcontextprotocol/server';
import type { WorkspaceContext } from '../context/workspace-context.js';

/** What a handler gets: the SDK's context, and the workspace. */
export type WorkspaceServerContext = ServerContext & { readonly workspace: WorkspaceContext };

type MaybePromise<T> = T | Promise<T>;
type RawShape = Record<string, StandardSchemaWithJSON>;
type OptionalKeys<S extends RawShape> = {
  [K in keyof S]: undefined extends StandardSchemaWithJSON.InferOutput<S[K]> ? K : never;
}[keyof S];
/** The arguments a raw shape stands for, with optional members optional. */
type InferShape<S extends RawShape> = {
  [K in Exclude<keyof S, OptionalKeys<S>>]: StandardSchemaWithJSON.InferOutput<S[K]>;
} & { [K in OptionalKeys<S>]?: StandardSchemaWithJSON.InferOutput<S[K]> };

interface Described {
  title?: string;
  description?: string;
  icons?: Icon[];
  scopeChallenge?: ScopeChallengeHandler;
  _meta?: Record<string, unknown>;
}

interface ToolConfig<Input, Output> extends Described {
  inputSchema?: Input;
  outputSchema?: Output;
  annotations?: ToolAnnotations;
}

interface PromptConfig<Args> extends Described {
  argsSchema?: Args;
}

type ResourceConfig = ResourceMetadata & { cacheHint?: CacheHint; scopeChallenge?: ScopeChallengeHandler };

/** Handles a tool call with the workspace at hand. */
export type WorkspaceToolCallback<Input extends StandardSchemaWithJSON | undefined = undefined> =
  BaseToolCallback<CallToolResult | InputRequiredResult, WorkspaceServerContext, Input>;

type PromptResult = MaybePromise<GetPromptResult | InputRequiredResult>;
type ResourceResult = MaybePromise<ReadResourceResult | InputRequiredResult>;

/** The registration methods of `McpServer`, with `ctx.workspace` in every handler. */
export interface WorkspaceRegistration {
  registerTool<
    Output extends StandardSchemaWithJSON,
    Input extends StandardSchemaWithJSON | undefined = undefined,
  >(
    name: string,
    config: ToolConfig<Input, Output>,
    handler: WorkspaceToolCallback<Input>,
  ): RegisteredTool;
  registerTool<
    Input extends RawShape,
    Output extends RawShape | StandardSchemaWithJSON | undefined = undefined,
  >(
    name: string,
    config: ToolConfig<Input, Output>,
    handler: (
      args: InferShape<Input>,
      ctx: WorkspaceServerContext,
    ) => MaybePromise<CallToolResult | InputRequiredResult>,
  ): RegisteredTool;

  registerPrompt(
    name: string,
    config: PromptConfig<undefined>,
    handler: (ctx: WorkspaceServerContext) => PromptResult,
  ): RegisteredPrompt;
  registerPrompt<Args extends StandardSchemaWithJSON>(
    name: string,
    config: PromptConfig<Args>,
    handler: (args: StandardSchemaWithJSON.InferOutput<Args>, ctx: WorkspaceServerContext) => PromptResult,
  ): RegisteredPrompt;
  registerPrompt<Args extends RawShape>(
    name: string,
    config: PromptConfig<Args>,
    handler: (args: InferShape<Args>, ctx: WorkspaceServerContext) => PromptResult,
  ): RegisteredPrompt;

  registerResource(
    name: string,
    uri: string,
    config: ResourceConfig,
    handler: (uri: URL, ctx: WorkspaceServerContext) => ResourceResult,
  ): RegisteredResource;
  registerResource(
    name: string,
    template: ResourceTemplate,
    config: ResourceConfig,
    handler: (uri: URL, variables: Variables, ctx: WorkspaceServerContext) => ResourceResult,
  ): RegisteredResourceTemplate;
}

/** An `McpServer` whose handlers have `ctx.workspace`. */
export type WorkspaceServer = WorkspaceRegistration & McpServer;

/** The method of `Server` that sets handlers, with `ctx.workspace` in each. */
export interface WorkspaceRequests {
  setRequestHandler<M extends RequestMethod>(
    method: M,
    handler: (
      request: RequestTypeMap[M],
      ctx: WorkspaceServerContext,
    ) => MaybePromise<HandlerResultTypeMap[M]>,
  ): void;
}

/** A `Server` whose handlers have `ctx.workspace`. */
export type WorkspaceLowLevelServer = WorkspaceRequests & Server;
