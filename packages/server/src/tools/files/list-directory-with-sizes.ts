import { join } from 'node:path';
import { RootwardError, type ListEntry, type Scope } from '@rootward/core';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { dataResult } from '../framework/results.js';
import { entryType, LISTING_PAGE, marker } from './list-directory.js';

const NAME_WIDTH = 30;
const SIZE_WIDTH = 10;

interface SizedEntry {
  readonly name: string;
  readonly kind: ListEntry['kind'];
  readonly size: number;
}

export const listDirectoryWithSizes: Tool = defineTool({
  name: 'list_directory_with_sizes',
  toolset: 'files',
  title: 'List Directory with Sizes',
  description: 'List a directory with the size of each file and a total.',
  annotations: READS,
  input: () =>
    z.object({
      path: z.string(),
      sortBy: z.enum(['name', 'size']).optional().default('name'),
      cursor: cursorArgument(),
    }),
  output: () =>
    z.object({
      entries: z.array(z.object({ name: z.string(), type: entryType(), size: z.number() })),
      files: z.number(),
      directories: z.number(),
      totalSize: z.number(),
      nextCursor: nextCursorField(),
    }),
  paths: ({ path }) => [path],
  handle: async (args, context) => {
    const cursors = new Cursors('list_directory_with_sizes', args);
    const path = context.expandHome(args.path);
    const scope = await context.workspace.scope();
    const listed = await scope.list(path, { stats: true, signal: context.signal });
    const sized = await measure(scope, path, listed);
    const byName = new Intl.Collator();
    sized.sort((a, b) => (args.sortBy === 'size' ? b.size - a.size : 0) || byName.compare(a.name, b.name));
    const totals = {
      files: sized.filter(({ kind }) => kind !== 'directory').length,
      directories: sized.filter(({ kind }) => kind === 'directory').length,
      totalSize: sized.reduce((sum, { kind, size }) => sum + (kind === 'directory' ? 0 : size), 0),
    };
    const { items, nextCursor } = cursors.page(sized, LISTING_PAGE);
    const lines = [
      ...items.map((entry) => formatEntry(entry)),
      '',
      `Total: ${totals.files} files, ${totals.directories} directories`,
      `Combined size: ${formatSize(totals.totalSize)}`,
    ];
    return dataResult(
      {
        entries: items.map(({ name, kind, size }) => ({ name, type: kind, size })),
        ...totals,
        ...(nextCursor !== undefined && { nextCursor }),
      },
      lines.join('\n') + continuation(nextCursor),
    );
  },
});

/** A link has the size of what it leads to, where that is in scope, and none otherwise. */
async function measure(scope: Scope, path: string, listed: readonly ListEntry[]): Promise<SizedEntry[]> {
  const directory = listed.some(({ kind }) => kind === 'link') ? scope.locate(path).path : path;
  const sized: SizedEntry[] = [];
  for (const { name, kind, stats } of listed) {
    const size = kind === 'link' ? await targetSize(scope, join(directory, name)) : (stats?.size ?? 0);
    sized.push({ name, kind, size });
  }
  return sized;
}

async function targetSize(scope: Scope, path: string): Promise<number> {
  try {
    return (await scope.stat(path)).size;
  } catch (error) {
    if (error instanceof RootwardError) return 0;
    throw error;
  }
}

function formatEntry({ name, kind, size }: SizedEntry): string {
  const shown = kind === 'directory' ? '' : formatSize(size).padStart(SIZE_WIDTH);
  return `${marker(kind)} ${name.padEnd(NAME_WIDTH)} ${shown}`;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
const STEP = 1024;

/** `0 B`, `17 B`, `1.50 KB`: as the reference server writes sizes. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(2)} ${UNITS[unit] ?? ''}`;
}
