import { basename } from 'node:path';
import {
  choiceId,
  describeRepository,
  findNestedRepositories,
  isProjectName,
  projectOf,
  RootwardError,
} from '@rootward/core';
import type { NestedRepositories, NestedRepositoriesOptions, Project, Root, Scope } from '@rootward/core';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import type { ToolContext } from '../framework/tool-context.js';
import { inProjectShape, projectFields, projectOutput } from './project-result.js';

/** Each is looked up on the disk; a client with thousands of roots gets them page by page. */
const PAGE = 50;
/** For the repositories inside all projects of a page together. */
const NESTED_BUDGET = 20_000;
const MAX_NESTED = 20;

interface ListedProject extends Project {
  readonly worktreeOf?: string;
  /** What selects this worktree: it shares the id of the project with the main tree. */
  readonly treeId?: string;
  readonly branch?: string;
  readonly nested?: readonly string[];
  readonly current: boolean;
}

export const listProjects: Tool = defineTool({
  name: 'list_projects',
  toolset: 'project',
  title: 'List Projects',
  description:
    'The projects among the roots: id, repository, branch, repositories inside, and which is current.',
  annotations: READS,
  input: () => z.object({ cursor: cursorArgument() }),
  output: () =>
    projectOutput(
      z.object({
        projects: z.array(
          z.object({
            ...projectFields(),
            worktreeOf: z.string().optional(),
            treeId: z.string().optional(),
            branch: z.string().optional(),
            nested: z.array(z.string()).optional(),
            current: z.boolean(),
          }),
        ),
        nextCursor: nextCursorField(),
      }),
    ),
  handle: (args, context) =>
    inProjectShape(async () => {
      const cursors = new Cursors('list_projects', args);
      const current = await findCurrent(context);
      const roots = (await context.workspace.roots()).filter(isProjectRoot);
      const { items, nextCursor } = cursors.page(roots, PAGE);
      const projects = await describeAll(items, current, context);
      if (current.project?.source === 'name' && cursors.start === 0) {
        projects.unshift({ ...current.project, current: true });
      }
      return {
        value: { projects, ...(nextCursor !== undefined && { nextCursor }) },
        text: (projects.map(describe).join('\n') || current.message) + continuation(nextCursor),
        message: current.message,
        ...(current.instruction !== undefined && { instruction: current.instruction }),
      };
    }),
});

interface Current {
  readonly project: Project | undefined;
  readonly message: string;
  readonly instruction?: string;
}

/** Having no project is no failure of a list: it says what to do about it. */
async function findCurrent({ workspace }: ToolContext): Promise<Current> {
  try {
    const project = await workspace.project();
    return { project, message: `The current project is ${project.id}` };
  } catch (error) {
    if (!(error instanceof RootwardError) || error.code !== 'no-project') throw error;
    const { message, instruction } = error;
    return { project: undefined, message, ...(instruction !== undefined && { instruction }) };
  }
}

function isProjectRoot({ kind, path }: Root): boolean {
  return kind === 'directory' && isProjectName(basename(path));
}

async function describeAll(
  roots: readonly Root[],
  current: Current,
  { workspace, signal }: ToolContext,
): Promise<ListedProject[]> {
  const scope = await workspace.scope();
  const projects: ListedProject[] = [];
  let budget = NESTED_BUDGET;
  for (const root of roots) {
    const project = projectOf(root);
    const facts = describeRepository(root.path);
    const nested = root.broad || budget <= 0 ? undefined : await findNested(scope, root, { budget, signal });
    budget -= nested?.seen ?? 0;
    projects.push({
      ...project,
      ...(facts?.worktree === true &&
        facts.top === root.path && { worktreeOf: facts.path, treeId: choiceId(root) }),
      ...(facts?.branch !== undefined && { branch: facts.branch }),
      ...(nested !== undefined &&
        nested.paths.length > 0 && {
          nested: nested.paths.slice(0, MAX_NESTED),
        }),
      current: current.project?.path === root.path,
    });
  }
  return projects;
}

/** A root that is gone since the client named it has nothing inside, and is still listed. */
async function findNested(
  scope: Scope,
  { path }: Root,
  options: NestedRepositoriesOptions,
): Promise<NestedRepositories | undefined> {
  try {
    return await findNestedRepositories(scope, path, options);
  } catch (error) {
    if (error instanceof RootwardError) return undefined;
    throw error;
  }
}

function describe({ id, treeId, path, source, branch, worktreeOf, nested, current }: ListedProject): string {
  const facts = [
    path ?? 'a name only: it opens no directory',
    `from ${source}`,
    ...(branch === undefined ? [] : [`on ${branch}`]),
    ...(worktreeOf === undefined ? [] : [`worktree of ${worktreeOf}`]),
    ...(nested === undefined ? [] : [`repositories inside: ${nested.join(', ')}`]),
  ];
  return `${current ? '* ' : '  '}${treeId ?? id}: ${facts.join(', ')}`;
}
