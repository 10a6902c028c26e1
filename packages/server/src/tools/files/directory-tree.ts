import type { Scope, WalkEntry, WalkOptions } from '@rootward/core';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool } from '../framework/define-tool.js';
import type { Tool } from '../framework/define-tool.js';
import { dataResult } from '../framework/results.js';
import { compileTreeExcludes } from '../../search/glob.js';

/** A tree is for getting an overview; with more entries than this it is none, and fills a model's context. */
const MAX_ENTRIES = 5000;
/** Far more than that many entries need, unless they are hundreds of levels deep; then nearly all of it is blanks. */
const MAX_INDENTED = 1_000_000;

interface TreeNode {
  readonly name: string;
  readonly type: 'file' | 'directory';
  readonly children?: TreeNode[];
  /** What is in this directory is left out. */
  truncated?: true;
}

interface Tree {
  readonly nodes: readonly TreeNode[];
  readonly entries: number;
  /** There was more than the limit allows. */
  readonly full: boolean;
}

export const directoryTree: Tool = defineTool({
  name: 'directory_tree',
  toolset: 'files',
  title: 'Directory Tree',
  description: `A directory and all below it as JSON: name, type, children. A tree of more than ${MAX_ENTRIES} entries is cut at the depth that fits.`,
  annotations: READS,
  input: () =>
    z.object({
      path: z.string(),
      excludePatterns: z.array(z.string()).optional().default([]),
      maxDepth: z.int().min(1).optional(),
      respectGitignore: z.boolean().optional(),
    }),
  output: () =>
    z.object({
      tree: z.array(z.looseObject({ name: z.string(), type: z.enum(['file', 'directory']) })),
      truncated: z.boolean(),
      note: z.string().optional(),
    }),
  paths: ({ path }) => [path],
  handle: async ({ path: asked, excludePatterns, maxDepth, respectGitignore }, context) => {
    const path = context.expandHome(asked);
    const scope = await context.workspace.scope();
    const excluded = compileTreeExcludes(excludePatterns);
    const options: WalkOptions = {
      gitignore: respectGitignore === true,
      filter: ({ relative }) => !excluded(relative),
      signal: context.signal,
    };
    const { nodes, note } = await buildFittingTree(scope, path, options, maxDepth);
    const data = { tree: nodes, truncated: note !== undefined, ...(note !== undefined && { note }) };
    return dataResult(data, print(nodes), note);
  },
});

function print(nodes: readonly TreeNode[]): string {
  const indented = JSON.stringify(nodes, null, 2);
  return indented.length > MAX_INDENTED ? JSON.stringify(nodes) : indented;
}

/** The whole tree where it fits; otherwise the deepest levels that fit as a whole, so that nothing is cut at random. */
async function buildFittingTree(
  scope: Scope,
  path: string,
  options: WalkOptions,
  maxDepth = Number.POSITIVE_INFINITY,
): Promise<{ readonly nodes: readonly TreeNode[]; readonly note?: string }> {
  const whole = await buildTree(scope, path, options, maxDepth);
  if (!whole.full) return { nodes: whole.nodes };
  let fitting = await buildTree(scope, path, options, 1);
  if (fitting.full) return { nodes: fitting.nodes, note: overfullNote() };
  // Every try walks thousands of entries, and trees may be a thousand levels deep: not level by level.
  let depth = 1;
  let tooDeep = Number.POSITIVE_INFINITY;
  while (tooDeep - depth > 1) {
    const next = Math.min(depth * 2, Math.floor((depth + tooDeep) / 2));
    const deeper = await buildTree(scope, path, options, next);
    if (deeper.full) {
      tooDeep = next;
    } else {
      depth = next;
      fitting = deeper;
    }
  }
  return { nodes: fitting.nodes, note: depthNote(depth) };
}

async function buildTree(scope: Scope, path: string, options: WalkOptions, maxDepth: number): Promise<Tree> {
  const nodes: TreeNode[] = [];
  const folders = new Map<string, TreeNode[]>([['', nodes]]);
  let entries = 0;
  let full = false;
  for await (const entry of scope.walk(path, { ...options, maxDepth })) {
    if (entries === MAX_ENTRIES) {
      full = true;
      break;
    }
    entries++;
    const node = toNode(entry, maxDepth);
    if (node.children !== undefined) folders.set(entry.relative, node.children);
    folders.get(parentOf(entry))?.push(node);
  }
  for (const children of folders.values()) children.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { nodes, entries, full };
}

function toNode({ name, kind, depth }: WalkEntry, maxDepth: number): TreeNode {
  if (kind !== 'directory') return { name, type: 'file' };
  return { name, type: 'directory', children: [], ...(depth >= maxDepth && { truncated: true }) };
}

function parentOf({ relative, name }: WalkEntry): string {
  return relative.slice(0, Math.max(0, relative.length - name.length - 1));
}

function depthNote(depth: number): string {
  const levels = depth === 1 ? 'the first level is' : `the first ${depth} levels are`;
  return `Truncated: more than ${MAX_ENTRIES} entries, so only ${levels} shown; ask for a directory marked truncated, or exclude more`;
}

function overfullNote(): string {
  return `Truncated: the directory itself has more than ${MAX_ENTRIES} entries; use list_directory, which has pages, or search_files`;
}
