import { RootwardError, type Project, type Scope, type Snapshot } from '@rootward/core';
import { reportError } from '@rootward/mcp';
import type { ErrorReport } from '@rootward/mcp';
import type { WorkingTree } from '@rootward/mcp';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { dataResult } from '../framework/results.js';
import type { ToolContext } from '../framework/tool-context.js';
import { projectFields } from '../guidance/project-result.js';

/** In the structured part, which is all that some clients show. */
const HANDLE_INSTRUCTION =
  'Pass the value of "workspace" as the argument workspace of other tools, valid for 10 minutes';
/** More are counted, not listed: list_allowed_directories has pages. */
const MAX_ROOTS = 50;
const MAX_REJECTED = 20;
const COMMIT_DIGITS = 12;

/** Listed in short: what is in it, every refusal of a tool shows. */
function report(): z.ZodObject {
  return z.looseObject({ message: z.string() });
}

export const workspaceInfo: Tool = defineTool({
  name: 'workspace_info',
  toolset: 'workspace',
  title: 'Workspace Info',
  description:
    'The roots (directories these tools may touch), where they come from, the working directory and the project. With path: whether it is in scope, and a handle for its working tree.',
  annotations: READS,
  input: () => z.object({ path: z.string().optional() }),
  output: () =>
    z.object({
      roots: z.array(
        z.object({
          path: z.string(),
          name: z.string(),
          kind: z.string(),
          access: z.string(),
          source: z.string(),
          broad: z.boolean(),
        }),
      ),
      rootCount: z.number(),
      directory: z.string().optional(),
      client: z.string(),
      sources: z.array(z.looseObject({ source: z.string() })),
      rejected: z.array(z.looseObject({ declared: z.string() })),
      project: z.object(projectFields()).optional(),
      tree: z
        .looseObject({ path: z.string(), branch: z.string().optional(), known: z.string().optional() })
        .optional(),
      noProject: report().optional(),
      problems: z.array(z.looseObject({ file: z.string() })).optional(),
      path: z
        .object({
          asked: z.string(),
          inScope: z.boolean(),
          path: z.string().optional(),
          root: z.string().optional(),
          exists: z.boolean().optional(),
          writable: z.boolean().optional(),
          refusal: report().optional(),
        })
        .optional(),
      servers: z.array(z.looseObject({ server: z.string() })).optional(),
      executables: z.array(z.looseObject({ tool: z.string() })).optional(),
      workspace: z.string().optional(),
      instruction: z.string().optional(),
    }),
  paths: ({ path }) => (path === undefined ? [] : [path]),
  handle: async ({ path }, context) => {
    const { workspace } = context;
    const snapshot = await workspace.snapshot();
    const directory = snapshot.roots.find(({ kind }) => kind === 'directory')?.path;
    const tree = await workspace.tree();
    const project = await findProject(context);
    const scope = await workspace.scope();
    const checked = path === undefined ? undefined : checkPath(scope, path, context);
    const problems = context.projects.problems(snapshot.roots.slice(0, MAX_ROOTS));
    const servers = (await context.languages.status(context)).map(shortStatus);
    const executables = context.executables();
    const pinned = path === undefined ? undefined : await workspace.treeHandle(context.expandHome(path));
    const handle = pinned ?? (await workspace.handle());
    const data = {
      ...describeRoots(snapshot, scope),
      ...(directory !== undefined && { directory }),
      ...(tree !== undefined && { tree }),
      ...('name' in project ? { project } : { noProject: project }),
      ...(problems.length > 0 && { problems }),
      ...(checked !== undefined && { path: checked }),
      ...(servers.length > 0 && { servers }),
      ...(executables.length > 0 && { executables }),
      ...(handle !== undefined && { workspace: handle, instruction: HANDLE_INSTRUCTION }),
    };
    const lines = [
      await workspace.explain(),
      'name' in project ? `Project: ${project.name} (${project.id})` : project.message,
      ...(tree === undefined ? [] : [describeTree(tree)]),
      ...problems.map(({ file, problem }) => `${file} has a problem: ${problem}`),
      ...(checked === undefined ? [] : [describeCheck(checked)]),
      ...servers.map(describeServer),
      ...executables.map(({ tool, sandbox }) => `Executable ${tool}: running, sandbox ${sandbox}`),
      ...(handle === undefined ? [] : [`Pass as "workspace" to other tools: ${handle}`]),
    ];
    await workspace.rootsShown();
    return dataResult(data, lines.join('\n'));
  },
});

/** How it is known tells a reader whether relative paths lead there. */
function describeTree({ path, branch, commit, linked, known, others = [] }: WorkingTree): string {
  const head = branch ?? commit?.slice(0, COMMIT_DIGITS) ?? 'no commit';
  const kind = linked ? 'worktree' : 'main tree';
  const how = known === undefined ? `not known: it may be ${others.join(' or ')}` : `known from: ${known}`;
  return `Working tree: ${path} (${kind}, ${head}; ${how})`;
}

type Status = Awaited<ReturnType<ToolContext['languages']['status']>>[number];

function shortStatus({
  server,
  state,
  folders,
  warmingUp,
  sandbox,
  shortfall,
  memoryKb,
  reason,
}: Status): ShortStatus {
  return {
    server,
    state,
    folders: folders.slice(0, MAX_ROOTS),
    warmingUp,
    ...(sandbox !== undefined && { sandbox }),
    ...(shortfall !== undefined && { shortfall }),
    ...(memoryKb !== undefined && { memoryKb }),
    ...(reason !== undefined && { reason }),
  };
}

type ShortStatus = Omit<Status, 'language' | 'kind'>;

function describeServer({ server, state, reason, memoryKb, sandbox, shortfall }: ShortStatus): string {
  const memory = memoryKb === undefined ? '' : `, ${Math.round(memoryKb / 1024)} MB`;
  const held = sandbox === undefined ? '' : `, sandbox ${sandbox}`;
  const loose = shortfall === undefined ? '' : `; not held back: ${shortfall}`;
  return `Language server ${server}: ${state}${memory}${held}${loose}${reason === undefined ? '' : ` (${reason})`}`;
}

/** The scope knows what the rules leave of the access to a root. */
function describeRoots({ client, trace, rejected }: Snapshot, { roots }: Scope): Record<string, unknown> {
  return {
    roots: roots
      .slice(0, MAX_ROOTS)
      .map(({ path, name, kind, access, source, broad }) => ({ path, name, kind, access, source, broad })),
    rootCount: roots.length,
    client,
    sources: trace.map(({ source, verdict, detail }) => ({ source, verdict, detail })),
    rejected: rejected
      .slice(0, MAX_REJECTED)
      .map(({ declared, source, reason }) => ({ declared, source, reason })),
  };
}

type Report = ErrorReport;

async function findProject({ workspace }: ToolContext): Promise<Project | Report> {
  try {
    return await workspace.project();
  } catch (error) {
    return toReport(error);
  }
}

interface CheckedPath {
  readonly asked: string;
  readonly inScope: boolean;
  readonly path?: string;
  readonly root?: string;
  readonly exists?: boolean;
  readonly writable?: boolean;
  readonly refusal?: Report;
}

/** Advice about one moment; each tool decides anew. */
function checkPath(scope: Scope, asked: string, context: ToolContext): CheckedPath {
  try {
    const { path, root, exists, writable } = scope.locate(context.expandHome(asked));
    context.audit(asked, 'allowed');
    return { asked, inScope: true, path, root: root.path, exists, writable };
  } catch (error) {
    const refusal = toReport(error);
    context.audit(asked, 'refused', error instanceof RootwardError ? error.code : undefined);
    return { asked, inScope: false, refusal };
  }
}

function toReport(error: unknown): Report {
  const known = reportError(error);
  if (known === undefined) throw error;
  return known;
}

function describeCheck({ asked, inScope, root, exists, writable, refusal }: CheckedPath): string {
  if (!inScope) return `${refusal?.message ?? ''}. ${refusal?.instruction ?? ''}`;
  const state = [
    exists === true ? 'exists' : 'does not exist yet',
    writable === true ? 'writable' : 'read-only',
  ];
  return `In scope: ${asked} (in ${root ?? ''}, ${state.join(', ')})`;
}
