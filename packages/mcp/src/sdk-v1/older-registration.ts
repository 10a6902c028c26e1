import type {
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  ResourceMetadata,
  ResourceTemplate,
} from '@modelcontextprotocol/sdk/server/mcp.js';
import type { ZodRawShapeCompat } from '@modelcontextprotocol/sdk/server/zod-compat.js';
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type {
  WorkspacePromptCallback,
  WorkspaceReadCallback,
  WorkspaceReadTemplateCallback,
  WorkspaceToolCallback,
} from './workspace-callbacks.js';

type Shape = ZodRawShapeCompat;

/** The methods that the SDK deprecates and most servers use: the same overloads, with `extra.workspace`. */
export interface OlderRegistration {
  /** @deprecated Use `registerTool` instead. */
  tool(name: string, handler: WorkspaceToolCallback): RegisteredTool;
  /** @deprecated Use `registerTool` instead. */
  tool(name: string, description: string, handler: WorkspaceToolCallback): RegisteredTool;
  /** @deprecated Use `registerTool` instead. */
  tool<Args extends Shape>(
    name: string,
    shapeOrAnnotations: Args | ToolAnnotations,
    handler: WorkspaceToolCallback<Args>,
  ): RegisteredTool;
  /** @deprecated Use `registerTool` instead. */
  tool<Args extends Shape>(
    name: string,
    description: string,
    shapeOrAnnotations: Args | ToolAnnotations,
    handler: WorkspaceToolCallback<Args>,
  ): RegisteredTool;
  /** @deprecated Use `registerTool` instead. */
  tool<Args extends Shape>(
    name: string,
    shape: Args,
    annotations: ToolAnnotations,
    handler: WorkspaceToolCallback<Args>,
  ): RegisteredTool;
  /** @deprecated Use `registerTool` instead. */
  tool<Args extends Shape>(
    name: string,
    description: string,
    shape: Args,
    annotations: ToolAnnotations,
    handler: WorkspaceToolCallback<Args>,
  ): RegisteredTool;

  /** @deprecated Use `registerPrompt` instead. */
  prompt(name: string, handler: WorkspacePromptCallback): RegisteredPrompt;
  /** @deprecated Use `registerPrompt` instead. */
  prompt(name: string, description: string, handler: WorkspacePromptCallback): RegisteredPrompt;
  /** @deprecated Use `registerPrompt` instead. */
  prompt<Args extends Shape>(
    name: string,
    shape: Args,
    handler: WorkspacePromptCallback<Args>,
  ): RegisteredPrompt;
  /** @deprecated Use `registerPrompt` instead. */
  prompt<Args extends Shape>(
    name: string,
    description: string,
    shape: Args,
    handler: WorkspacePromptCallback<Args>,
  ): RegisteredPrompt;

  /** @deprecated Use `registerResource` instead. */
  resource(name: string, uri: string, handler: WorkspaceReadCallback): RegisteredResource;
  /** @deprecated Use `registerResource` instead. */
  resource(
    name: string,
    uri: string,
    metadata: ResourceMetadata,
    handler: WorkspaceReadCallback,
  ): RegisteredResource;
  /** @deprecated Use `registerResource` instead. */
  resource(
    name: string,
    template: ResourceTemplate,
    handler: WorkspaceReadTemplateCallback,
  ): RegisteredResourceTemplate;
  /** @deprecated Use `registerResource` instead. */
  resource(
    name: string,
    template: ResourceTemplate,
    metadata: ResourceMetadata,
    handler: WorkspaceReadTemplateCallback,
  ): RegisteredResourceTemplate;
}
