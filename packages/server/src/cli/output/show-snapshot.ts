import type { Root, TraceEntry, Workspace } from '@rootward/core';
import { countRoots, originOf } from '../../serve/readiness.js';
import { alignRows, type Row } from './align-rows.js';
import { painter, type Paint, type Tone } from './paint.js';
import type { Display } from './display.js';

/** The roots of a workspace, one on each line, what is wrong with others, and where asked for what every source said. */
export function showSnapshot(
  workspace: Workspace,
  { columns, colors }: Display,
  { indent = '', verbose = true }: { readonly indent?: string; readonly verbose?: boolean } = {},
): string {
  const { rejected: all, trace } = workspace.snapshot();
  // Nobody chose the directory of the shell.
  const rejected = verbose ? all : all.filter(({ source }) => source !== 'cwd');
  // With what the rules leave of their access.
  const { roots } = workspace.scope();
  const paint = painter({ colors });
  const inner = { paint, columns, indent: `${indent}  ` };
  return [
    `${indent}${headline(roots, paint)}\n`,
    // A single root is shown in the headline.
    roots.length === 1 ? '' : alignRows(roots.map(rootRow), inner),
    verbose ? `${indent}${paint('title', 'What each source says')}\n` : '',
    verbose ? alignRows(trace.filter(isOfInterest).map(sourceRow), inner) : '',
    rejected.length === 0 ? '' : `${indent}${paint('title', 'Rejected')}\n`,
    alignRows(
      rejected.map(({ reason, message }): Row => [{ text: reason, tone: 'bad' }, message]),
      inner,
    ),
  ].join('');
}

function headline(roots: readonly Root[], paint: Paint): string {
  const [only, ...others] = roots;
  if (only === undefined) return paint('bad', 'No roots: every path is refused');
  const sources = [...new Set(roots.map(({ source }) => originOf(source)))].join(' and ');
  const count = paint('title', `${countRoots(roots)} from ${sources}`);
  if (others.length > 0) return count;
  return `${count}: ${only.path}${only.access === 'read-only' ? ' (read-only)' : ''}`;
}

function rootRow({ source, access, path }: Root): Row {
  return [{ text: source, tone: 'good' }, { text: access, tone: 'quiet' }, path];
}

/** Sources that people do not expect, so that their absence is not shown. */
const RARE: ReadonlySet<string> = new Set(['handle', 'consent', 'request']);

function isOfInterest({ source, verdict }: TraceEntry): boolean {
  return verdict !== 'absent' || !RARE.has(source);
}

const TONES: Readonly<Partial<Record<TraceEntry['verdict'], Tone>>> = {
  used: 'good',
  rejected: 'bad',
  revoked: 'bad',
  failed: 'bad',
};

function sourceRow({ source, verdict, detail }: TraceEntry): Row {
  const tone = TONES[verdict] ?? 'quiet';
  return [
    { text: source, tone },
    { text: verdict, tone },
    { text: detail, tone: verdict === 'absent' ? 'quiet' : 'name' },
  ];
}
