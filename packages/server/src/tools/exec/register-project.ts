import { ProtocolError, ResourceTemplate } from '@modelcontextprotocol/server';
import type { CompleteResult, ServerContext, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { isObject, disposable } from '@rootward/core/platform';
import type { WorkspaceServer, WorkspaceServerContext } from '@rootward/mcp';
import { parseJson } from '../../exec/json.js';
import { scriptOf } from '../../exec/project/project-content.js';
import type {
  ProjectCompletion,
  ProjectContent,
  ProjectPrompt,
  ProjectResource,
  ProjectTemplate,
} from '../../exec/project/project-content.js';
import type { ToolCatalogue } from '../../exec/project/tool-catalogue.js';
import type { ToolRunner } from '../../exec/run/tool-runner.js';
import { PAGE_PROVIDER } from '../../exec/project/pages.js';
import { promptText } from '../../exec/project/prompt-text.js';
import { readProjectResource, type ResourceCall } from '../../exec/project/read-resource.js';

export interface RegisterProjectOptions {
  readonly catalogue: ToolCatalogue;
  readonly runner: ToolRunner;
  /** A server that lives for one request only need not follow. */
  readonly follow: boolean;
}

interface Removable {
  remove(): void;
}

const INVALID_PARAMS = -32_602;
/** The protocol allows no more in one answer. */
const MAX_VALUES = 100;

/** Registers what a tools project offers beside tools, and follows its changes. */
export function registerProject(server: WorkspaceServer, options: RegisterProjectOptions): Disposable {
  const { catalogue, follow } = options;
  const registered = new Map<string, Removable>();
  const apply = (content: ProjectContent): void => {
    const wanted = new Map<string, () => Removable>();
    for (const each of content.resources)
      wanted.set(`resource ${JSON.stringify(each)}`, () => addResource(server, each, options));
    for (const each of content.templates)
      wanted.set(`template ${JSON.stringify(each)}`, () => addTemplate(server, each, options));
    for (const each of content.prompts)
      wanted.set(`prompt ${JSON.stringify(each)}`, () => addPrompt(server, each));
    for (const [key, handle] of registered) {
      if (wanted.has(key)) continue;
      handle.remove();
      registered.delete(key);
    }
    for (const [key, add] of wanted) if (!registered.has(key)) registered.set(key, add());
  };
  apply(catalogue.current());
  offerCompletions(server, options);
  return follow ? catalogue.onDidChange(apply) : disposable(() => undefined);
}

function addResource(
  server: WorkspaceServer,
  { name, uri, mimeType, provider, file, html, shown }: ProjectResource,
  options: RegisterProjectOptions,
): Removable {
  return server.registerResource(name, uri, { ...shown, mimeType }, (_uri, ctx: WorkspaceServerContext) =>
    readProjectResource(
      { uri, provider, mimeType, file, html, meta: provider === PAGE_PROVIDER ? shown['_meta'] : undefined },
      callOf(ctx),
      options.runner,
    ),
  );
}

function addTemplate(
  server: WorkspaceServer,
  { name, uriTemplate, mimeType, provider, shown }: ProjectTemplate,
  options: RegisterProjectOptions,
): Removable {
  const template = new ResourceTemplate(uriTemplate, { list: undefined });
  // A variable stands for any text here, slashes included: clients fill templates in, and providers read addresses.
  const pattern = patternOf(uriTemplate);
  Object.defineProperty(template.uriTemplate, 'match', {
    value: (uri: string) => (pattern.test(uri) ? {} : null),
  });
  const config = { ...shown, ...(mimeType !== undefined && { mimeType }) };
  return server.registerResource(name, template, config, (uri, _variables, ctx: WorkspaceServerContext) =>
    readProjectResource({ uri: uri.href, provider, mimeType, file: undefined }, callOf(ctx), options.runner),
  );
}

function callOf({ workspace, mcpReq: { signal } }: WorkspaceServerContext): ResourceCall {
  return { roots: async () => workspace.roots(), scope: () => workspace.scope(), signal };
}

function patternOf(uriTemplate: string): RegExp {
  const parts = uriTemplate
    .split(/\{[^{}]*\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.+')}$`, 's');
}

function addPrompt(server: WorkspaceServer, prompt: ProjectPrompt): Removable {
  const { name, description, icons, role } = prompt;
  return server.registerPrompt(
    name,
    {
      ...(description !== undefined && { description }),
      ...(icons !== undefined && { icons }),
      argsSchema: promptSchema(prompt),
    },
    async (args) => {
      const text = await promptText(prompt, args);
      return {
        ...(description !== undefined && { description }),
        messages: [{ role, content: { type: 'text' as const, text } }],
      };
    },
  );
}

function promptSchema({
  arguments: declared,
}: ProjectPrompt): StandardSchemaWithJSON<unknown, Record<string, string>> {
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      declared.map(({ name, description }) => [
        name,
        { type: 'string', ...(description !== undefined && { description }) },
      ]),
    ),
    required: declared.filter(({ required }) => required).map(({ name }) => name),
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'rootward',
      validate: (value) => {
        const given = isObject(value) ? value : {};
        const missing = declared.find(({ name, required }) => required && given[name] === undefined);
        if (missing !== undefined) return { issues: [{ message: `"${missing.name}" is missing` }] };
        const texts = declared.map(({ name }) => [name, textOf(given[name])]);
        return { value: Object.fromEntries(texts) };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

/** The protocol knows texts alone. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** `withWorkspace()` has put it there, as for every handler. */
function withWorkspaceOf(ctx: ServerContext): WorkspaceServerContext {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return ctx as WorkspaceServerContext;
}

function offerCompletions(server: WorkspaceServer, { catalogue, runner }: RegisterProjectOptions): void {
  server.server.registerCapabilities({ completions: {} });
  server.server.setRequestHandler('completion/complete', async ({ params }, ctx): Promise<CompleteResult> => {
    const { ref, argument, context } = params;
    const { completions, resources, templates, prompts } = catalogue.current();
    const name =
      ref.type === 'ref/prompt'
        ? ref.name
        : ([...resources, ...templates].find(
            (each) => ref.uri === ('uri' in each ? each.uri : each.uriTemplate),
          )?.name ?? ref.uri);
    const completion = completions.find((each) => each.name === name);
    if (completion === undefined) {
      if (prompts.some((each) => each.name === name)) return { completion: { values: [] } };
      return { completion: { values: [], hasMore: false } };
    }
    const args = {
      ...context?.arguments,
      query: argument.value,
      prefix: argument.value,
      argument,
      ref,
      context,
    };
    return { completion: await complete(completion, args, withWorkspaceOf(ctx), runner) };
  });
}

async function complete(
  completion: ProjectCompletion,
  args: object,
  ctx: WorkspaceServerContext,
  runner: ToolRunner,
): Promise<CompleteResult['completion']> {
  const { name, timeoutSecs } = completion;
  const { end, code, stdout, stderr } = await runner.output(scriptOf(name, completion), {
    args: {},
    variables: {
      MCP_COMPLETION_NAME: name,
      MCP_COMPLETION_ARGS_JSON: JSON.stringify(args),
      MCP_COMPLETION_LIMIT: String(MAX_VALUES),
      MCP_COMPLETION_OFFSET: '0',
    },
    ...callOf(ctx),
    ...(timeoutSecs !== undefined && { timeoutMs: timeoutSecs * 1000 }),
  });
  const value = end === 'exited' && code === 0 ? parseJson(stdout.toString('utf8')) : undefined;
  const list = isObject(value) ? value['suggestions'] : value;
  if (!Array.isArray(list) || !list.every((each) => typeof each === 'string')) {
    throw new ProtocolError(
      INVALID_PARAMS,
      `Cannot complete ${name}: its script gave no list of strings. ${stderr}`.trim(),
    );
  }
  const more = isObject(value) && value['hasMore'] === true;
  return { values: list.slice(0, MAX_VALUES), hasMore: more || list.length > MAX_VALUES };
}
