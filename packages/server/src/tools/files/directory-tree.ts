import type { Scope, WalkEntry, WalkOptions } from '@rootward/core';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { dataResult } from '../framework/results.js';
import { compileTreeExcludes } from '../../search/glob.js';

/** A tree is for getting an overview; one with more entries fills a model's context. Callers may ask for more. */
const USUAL_ENTRIES = 5000;
const MAX_ENTRIES = 100_000;
/** More are for a program, which reads the same JSON without the blanks: they are more than half of it. */
const MAX_INDENTED_ENTRIES = 1000;
/** Far more than that many entries need, unless they are hundreds of levels deep; then nearly all of it is blanks. */
const MAX_INDENTED = 200_000;

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
  /** What was left out, if anything. */
  readonly note?: string;
}

export const directoryTree: Tool = defineTool({
  name: 'directory_tree',
  toolset: 'files',
  title: 'Directory Tree',
  description: `A directory and all below it as JSON: name, type, children. Cut at the depth that fits into maxEntries (${USUAL_ENTRIES}).`,
  annotations: READS,
  input: () =>
    z.object({
      path: z.string(),
      excludePatterns: z.array(z.string()).optional().default([]),
      maxDepth: z.int().min(1).optional(),
      maxEntries: z.int().min(1).max(MAX_ENTRIES).optional(),
      respectGitignore: z.boolean().optional(),
    }),
  output: () =>
    z.object({
      tree: z.array(z.looseObject({ name: z.string(), type: z.enum(['file', 'directory']) })),
      truncated: z.boolean(),
      note: z.string().optional(),
    }),
  paths: ({ path }) => [path],
  handle: async ({ path: asked, excludePatterns, maxDepth, maxEntries, respectGitignore }, context) => {
    const path = context.expandHome(asked);
    const scope = await context.workspace.scope();
    const excluded = compileTreeExcludes(excludePatterns);
    const options: WalkOptions = {
      gitignore: respectGitignore === true,
      ...(excludePatterns.length > 0 && { filter: ({ relative }: WalkEntry) => !excluded(relative) }),
      signal: context.signal,
      ...(maxDepth !== undefined && { maxDepth }),
    };
    const { nodes, entries, note } = await buildFittingTree(
      scope,
      path,
      maxEntries ?? USUAL_ENTRIES,
      options,
    );
    const data = { tree: nodes, truncated: note !== undefined, ...(note !== undefined && { note }) };
    return dataResult(data, print(nodes, entries), note);
  },
});

function print(nodes: readonly TreeNode[], entries: number): string {
  if (entries > MAX_INDENTED_ENTRIES) return JSON.stringify(nodes);
  const indented = JSON.stringify(nodes, null, 2);
  return indented.length > MAX_INDENTED ? JSON.stringify(nodes) : indented;
}

/** The whole tree where it fits; otherwise the deepest levels that fit as a whole, so that nothing is cut at random. */
async function buildFittingTree(
  scope: Scope,
  path: string,
  maxEntries: number,
  options: WalkOptions,
): Promise<Tree> {
  const nodes: TreeNode[] = [];
  const folders = new Map([['', nodes]]);
  /** The folders whose entries stand on the level that is being read, and the folders on that level. */
  let above: readonly TreeNode[] = [];
  let level: TreeNode[] = [];
  let depth = 1;
  let entries = 0;
  for await (const batch of scope.walkInBatches(path, { ...options, breadthFirst: true })) {
    const [first] = batch;
    if (first === undefined) continue;
    if (first.depth > depth) {
      above = level;
      level = [];
      depth = first.depth;
    }
    const siblings = folders.get(parentOf(first));
    for (const entry of batch) {
      if (entries === maxEntries) {
        if (depth === 1) return { nodes, entries, note: overfullNote(maxEntries) };
        for (const folder of above) {
          entries -= folder.children?.length ?? 0;
          if (folder.children !== undefined) folder.children.length = 0;
          folder.truncated = true;
        }
        return { nodes, entries, note: depthNote(depth - 1, maxEntries) };
      }
      entries++;
      const node = toNode(entry, options.maxDepth);
      siblings?.push(node);
      if (node.children === undefined) continue;
      level.push(node);
      folders.set(entry.relative, node.children);
    }
  }
  return { nodes, entries };
}

function toNode({ name, kind, depth }: WalkEntry, maxDepth = Number.POSITIVE_INFINITY): TreeNode {
  if (kind !== 'directory') return { name, type: 'file' };
  const node: TreeNode = { name, type: 'directory', children: [] };
  if (depth >= maxDepth) node.truncated = true;
  return node;
}

function parentOf({ relative, name }: WalkEntry): string {
  return relative.slice(0, Math.max(0, relative.length - name.length - 1));
}

function depthNote(depth: number, maxEntries: number): string {
  const levels = depth === 1 ? 'the first level is' : `the first ${depth} levels are`;
  return `Truncated: more than ${maxEntries} entries, so only ${levels} shown; ask for a directory marked truncated, exclude more, or pass a larger maxEntries`;
}

function overfullNote(maxEntries: number): string {
  return `Truncated: the directory itself has more than ${maxEntries} entries; use list_directory, which has pages, or search_files`;
}
