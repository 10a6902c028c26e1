import type { RejectionReason } from '../error.js';
import type { Rejection, RootList } from '../roots/root.js';
import { printable } from '../uri/printable.js';
import { absent, describeNamed, readPaths, type RootSource, type SourceContext } from './root-source.js';

type Reader = (value: string, context: SourceContext) => Promise<RootList>;

/** Variables that hosts set for the servers they start; the first one with a valid root counts. */
const VARIABLES: readonly (readonly [name: string, read: Reader])[] = [
  ['CLAUDE_PROJECT_DIR', readOne],
  ['WORKSPACE_FOLDER_PATHS', readFolderPaths],
];

export const hostSource: RootSource = {
  source: 'host',
  async read(context) {
    const rejected: Rejection[] = [];
    const details: string[] = [];
    for (const [name, read] of VARIABLES) {
      const value = context.environment[name];
      if (value === undefined || value.trim() === '') continue;
      if (value.includes('${')) {
        rejected.push(unexpanded(value));
        details.push(`${name} was not expanded by the host (${printable(value)})`);
        continue;
      }
      const list = await read(value, context);
      rejected.push(...list.rejected);
      details.push(`${name} ${describeNamed(list)}`);
      if (list.roots.length > 0) {
        return { source: 'host', given: true, detail: details.join(', '), roots: list.roots, rejected };
      }
    }
    if (details.length === 0) {
      return absent('host', `${VARIABLES.map(([name]) => name).join(' and ')} not set`);
    }
    return { source: 'host', given: true, detail: details.join(', '), roots: [], rejected };
  },
};

function readOne(value: string, context: SourceContext): Promise<RootList> {
  return readPaths('host', [{ path: value }], context);
}

/**
 * One path, if a path with exactly this text exists (commas included); else a JSON list; else a comma-separated list.
 */
async function readFolderPaths(value: string, context: SourceContext): Promise<RootList> {
  const whole = await readOne(value, context);
  if (whole.roots.length > 0 || whole.rejected.some(({ reason }) => EXISTS.has(reason))) return whole;
  const parts = parseList(value) ?? value.split(',');
  const entries = parts.map((part) => ({ path: part.trim() })).filter(({ path }) => path !== '');
  return entries.length === 0 ? whole : readPaths('host', entries, context);
}

/** Reasons that only an existing path can have. Other reasons may come from reading a list as one path. */
const EXISTS: ReadonlySet<RejectionReason> = new Set<RejectionReason>([
  'too-broad',
  'outside-ceiling',
  'not-a-directory-or-file',
]);

function parseList(value: string): readonly string[] | undefined {
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed)
      ? parsed.map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
      : undefined;
  } catch {
    return undefined;
  }
}

function unexpanded(value: string): Rejection {
  const declared = printable(value);
  return {
    declared,
    source: 'host',
    reason: 'unexpanded',
    message: `Cannot use "${declared}" as a root: a variable in it was not expanded by the host`,
  };
}
