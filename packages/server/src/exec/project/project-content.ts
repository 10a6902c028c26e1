import type { Icon } from '@modelcontextprotocol/server';
import type { JsonObject } from '@rootward/core/platform';
import type { ExecutableTool, RunnableFile } from '../catalogue/executable-tool.js';

/** A resource of a tools project. */
export interface ProjectResource {
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
  /** Who reads it: `file`, `echo`, `https`, `page`, or a script in `providers/`. */
  readonly provider: string;
  /** What is read, where it is a file. */
  readonly file: string | undefined;
  /** A page made of a template; `file` then says what it was made of. */
  readonly html?: string | undefined;
  /** `title`, `description`, `annotations` and `_meta` as they were written, and `icons`. */
  readonly shown: JsonObject;
}

/** A family of resources. */
export interface ProjectTemplate {
  readonly name: string;
  readonly uriTemplate: string;
  readonly mimeType: string | undefined;
  readonly provider: string;
  readonly shown: JsonObject;
}

/** A text with places to fill in. */
export interface ProjectPrompt {
  readonly name: string;
  readonly description: string | undefined;
  readonly icons: Icon[] | undefined;
  readonly file: string;
  readonly role: 'user' | 'assistant';
  /** By name; as a JSON schema says it. */
  readonly arguments: readonly PromptArgument[];
}

interface PromptArgument {
  readonly name: string;
  readonly description: string | undefined;
  readonly required: boolean;
}

/** A script that suggests values. */
export interface ProjectCompletion extends RunnableFile {
  readonly name: string;
  readonly timeoutSecs: number | undefined;
}

/** What a tools project offers beside tools. */
export interface ProjectContent {
  readonly resources: readonly ProjectResource[];
  readonly templates: readonly ProjectTemplate[];
  readonly prompts: readonly ProjectPrompt[];
  readonly completions: readonly ProjectCompletion[];
}

export const NO_CONTENT: ProjectContent = { resources: [], templates: [], prompts: [], completions: [] };

/** A script that is no tool, for whoever runs tools. */
export function scriptOf(name: string, { file, interpreter }: RunnableFile): ExecutableTool {
  return {
    file,
    interpreter,
    metadataFile: file,
    metadata: {
      name,
      title: undefined,
      description: '',
      inputSchema: { type: 'object' },
      outputSchema: undefined,
      annotations: {},
      timeoutSecs: undefined,
      timeoutHint: undefined,
      progressExtendsTimeout: false,
      maxTimeoutSecs: undefined,
      cwd: 'project',
      sandbox: {},
      written: {},
    },
  };
}
