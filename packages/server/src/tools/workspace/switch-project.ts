import { createHash } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import {
  canBeProject,
  choiceId,
  describeRepository,
  findNestedRepositories,
  pathToFileUri,
  resolveSwitch,
  RootwardError,
} from '@rootward/core';
import type { Project, Root, Scope, Workspace } from '@rootward/core';
import { suggest } from '@rootward/core/platform';
import * as z from 'zod';
import { ADDS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { dataResult } from '../framework/results.js';
import type { Consent, Question, ToolContext } from '../framework/tool-context.js';
import { projectFields } from '../guidance/project-result.js';

/** As in refusals: more explain nothing. */
const PROJECTS_SHOWN = 5;
const DIGEST_SHOWN = 16;
/** Entries looked at for repositories inside the roots, before a name counts as unknown. */
const NESTED_BUDGET = 20_000;
/** In the structured part, which is all that some clients show. */
const HANDLE_INSTRUCTION =
  'Pass the value of "workspace" as the argument workspace of other tools to work in this project';

export const switchProject: Tool = defineTool({
  name: 'switch_project',
  toolset: 'workspace',
  title: 'Switch Project',
  description:
    'Make another project the current one, by name, id or absolute path. A directory outside the roots is opened only if the user agrees.',
  annotations: ADDS,
  input: () => z.object({ project: z.string() }),
  output: () =>
    z.object({
      ...projectFields(),
      workspace: z.string().optional(),
      instruction: z.string().optional(),
    }),
  paths: ({ project }) => (isAbsolute(project) ? [project] : []),
  handle: async ({ project: asked }, context) => {
    const live = await context.workspace.live();
    const choice = await choose(context.expandHome(asked), asked, live, context);
    const project = live.chooseProject(choice);
    const handle = 'root' in choice ? await handleFor(choice.root, live, context) : undefined;
    return dataResult(
      { ...project, ...(handle !== undefined && { workspace: handle, instruction: HANDLE_INSTRUCTION }) },
      describe(project, handle, context),
    );
  },
});

type Choice = { readonly root: Root } | { readonly name: string };

async function choose(path: string, asked: string, live: Workspace, context: ToolContext): Promise<Choice> {
  const { roots } = live.snapshot();
  const target = resolveSwitch(path, roots);
  switch (target.kind) {
    case 'root':
      return { root: target.root };
    case 'name':
      return findByName(target.name, asked, live, context);
    case 'path':
      return {
        root:
          repositoryAt(target.path, live.scope()) ??
          (await openWithConsent(target.path, asked, live, context)),
      };
    case 'ambiguous':
      throw refuse('ambiguous', asked, 'several roots have this name', {
        instruction: `Pass one of these ids: ${ids(target.roots)}`,
      });
    case 'invalid':
      throw refuse('malformed', asked, 'it is neither the name nor the path of a project', {
        instruction: 'Pass the basename of the current working directory, or an absolute path',
      });
  }
}

/** A repository inside a root. Without any root, a name is a project by itself: settings and guidance, and no access. */
async function findByName(
  name: string,
  asked: string,
  live: Workspace,
  context: ToolContext,
): Promise<Choice> {
  const { roots } = live.snapshot();
  const directories = roots.filter(isCandidate);
  if (directories.length === 0) return { name };
  const scope = live.scope();
  const inside = await repositoriesIn(directories, scope, context.signal);
  const matching = inside.filter((path) => basename(path) === name || choiceId({ path }) === name);
  const [first, second] = matching;
  if (first !== undefined && second !== undefined) {
    throw refuse('ambiguous', asked, 'several repositories have this name', {
      instruction: `Pass one of these paths: ${matching.slice(0, PROJECTS_SHOWN).join(', ')}`,
    });
  }
  const root = first === undefined ? undefined : repositoryAt(first, scope);
  if (root !== undefined) return { root };
  const names = [
    ...directories.flatMap((each) => [basename(each.path), choiceId(each)]),
    ...inside.map((path) => basename(path)),
  ];
  throw refuse('not-found', asked, `no project has this name${suggest(name, names)}`, {
    instruction: known(roots),
  });
}

async function repositoriesIn(
  roots: readonly Root[],
  scope: Scope,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  let budget = NESTED_BUDGET;
  for (const { path, broad } of roots) {
    if (broad || budget <= 0) continue;
    const { paths, seen } = await findNestedRepositories(scope, path, { budget, signal });
    budget -= seen;
    found.push(...paths);
  }
  return found;
}

/** The top of a repository that lies inside a root: it is in reach already, so nobody has to be asked. */
function repositoryAt(path: string, scope: Scope): Root | undefined {
  if (!scope.contains(path)) return undefined;
  const { path: canonical, root, exists } = scope.locate(path);
  if (!exists || describeRepository(canonical)?.top !== canonical) return undefined;
  return {
    ...root,
    path: canonical,
    uri: pathToFileUri(canonical),
    name: basename(canonical),
    declared: path,
  };
}

async function openWithConsent(
  path: string,
  asked: string,
  live: Workspace,
  context: ToolContext,
): Promise<Root> {
  const { roots } = live.snapshot();
  if (!context.canElicit) throw noConsent('unsupported', asked, roots);
  const root = await consider(path, asked, live, context.signal);
  const present = roots.find((one) => one.path === root.path);
  if (present !== undefined) return present;
  const consent = await context.elicit(question(root, context));
  // As if there were nothing to open: without anybody to ask, the answer must not tell what is there.
  if (consent === 'unsupported') throw unavailable(asked, roots);
  if (consent !== 'accepted') throw noConsent(consent, asked, roots);
  return live.grant(root, context.signal);
}

/** One refusal for whatever is wrong with a path that is no root, so that it tells nothing of what is there. */
async function consider(path: string, asked: string, live: Workspace, signal: AbortSignal): Promise<Root> {
  const { roots } = live.snapshot();
  let root: Root;
  try {
    root = await live.consider(path, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw unavailable(asked, roots, cause);
  }
  if (!isCandidate(root)) throw unavailable(asked, roots);
  return root;
}

/** The answer is bound to the canonical path: an answer about another directory is none about this one. */
function question({ path, broad, access }: Root, { readOnly }: ToolContext): Question {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, DIGEST_SHOWN);
  const what = readOnly || access === 'read-only' ? 'reading' : 'reading and changing';
  const warning = broad ? ' This is a home directory or wider.' : '';
  return {
    key: `consent-${digest}`,
    path,
    message: `Allow ${what} files in ${JSON.stringify(path)}?${warning}`,
  };
}

/** Where nothing is kept between calls, the handle keeps it: the project's root first, then the others. */
async function handleFor(
  root: Root,
  live: Workspace,
  { workspace, era }: ToolContext,
): Promise<string | undefined> {
  const { roots, client } = live.snapshot();
  if (era === 'legacy' || client === 'ignored') return undefined;
  return workspace.handle([root, ...roots.filter(({ path }) => path !== root.path)]);
}

function describe({ name, id, path }: Project, handle: string | undefined, { era }: ToolContext): string {
  const place = path === undefined ? 'a name only: it opens no directory' : path;
  const lines = [`Project: ${name} (${id}), ${place}`];
  if (handle !== undefined) lines.push(`Pass as "workspace" to other tools: ${handle}`);
  else if (era === 'modern') lines.push('Nothing is kept between calls on this connection');
  return lines.join('\n');
}

const WHY_NOT: Readonly<Record<Exclude<Consent, 'accepted'>, string>> = {
  declined: 'the user declined',
  cancelled: 'the user did not answer',
  unsupported: 'it is not one of the roots, and this client cannot ask its user',
};

function noConsent(
  consent: Exclude<Consent, 'accepted'>,
  asked: string,
  roots: readonly Root[],
): RootwardError {
  return refuse('not-permitted', asked, WHY_NOT[consent], { instruction: known(roots) });
}

function unavailable(asked: string, roots: readonly Root[], cause?: unknown): RootwardError {
  const state = 'it is not one of the roots and cannot be opened here';
  return refuse('not-permitted', asked, state, { instruction: known(roots), cause });
}

function refuse(
  code: 'ambiguous' | 'malformed' | 'not-found' | 'not-permitted',
  asked: string,
  state: string,
  options: { readonly instruction: string; readonly cause?: unknown },
): RootwardError {
  return new RootwardError(code, `Cannot switch to ${JSON.stringify(asked)}: ${state}`, {
    path: asked,
    ...options,
  });
}

function known(roots: readonly Root[]): string {
  const directories = roots.filter(isCandidate);
  if (directories.length === 0) return 'Ask the user to open the directory in the client';
  return `Switch to one of the known projects (${ids(directories)}), or ask the user to open the directory`;
}

function isCandidate(root: Root): boolean {
  return root.kind === 'directory' && canBeProject(root);
}

function ids(roots: readonly Root[]): string {
  const shown = roots.slice(0, PROJECTS_SHOWN).map((root) => choiceId(root));
  const more = roots.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
