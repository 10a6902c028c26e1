import { lstatSync } from 'node:fs';
import { errnoOf } from '../platform/errno.js';
import { isObject } from '../platform/json.js';
import { nearestMatch } from '../platform/nearest-match.js';
import { readJson } from '../platform/read-json.js';
import { RootwardError } from '../error.js';
import { rejectionError } from './fail-fast.js';
import { readFile } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import type { PathEntry } from '../roots/declaration.js';
import type { Rejection, Root, RootList } from '../roots/root.js';
import { printable } from '../uri/printable.js';
import { projectDirectory } from './project.js';
import type { ConfiguredRoots, RootSource, SourceContext } from './root-source.js';
import { absent, describeNamed, readPaths } from './root-source.js';

/** `roots` of the configuration file, else `config/roots.json` of the tools project. Bad entries are skipped. */
export const configSource: RootSource = {
  source: 'config',
  async read(context) {
    const paths = context.style === 'windows' ? win32 : posix;
    const files: RootsFile[] = context.config.map((configured) => ({
      ...configured,
      base: paths.dirname(configured.file),
    }));
    const listed = await readRootsFile(context);
    if (listed !== undefined) files.push(listed);

    const rejected: Rejection[] = [];
    let roots: readonly Root[] = [];
    const details: string[] = [];
    for (const file of files) {
      const list = await readConfigured(file, file.base, context);
      for (const fault of list.rejected) {
        if (context.badRoots === 'fail') throw rejectionError(fault, file.file);
        context.log.warn('configured root skipped', {
          file: file.file,
          root: fault.declared,
          reason: fault.reason,
        });
      }
      rejected.push(...list.rejected);
      details.push(`${file.file} ${describeNamed(list) || 'names no roots'}`);
      roots = list.roots;
      if (roots.length > 0) break;
    }
    if (files.length === 0) return absent('config', 'no roots in a configuration file');
    const given = roots.length > 0 || rejected.length > 0;
    return { source: 'config', given, detail: details.join(', '), roots, rejected };
  },
};

type RootsFile = ConfiguredRoots & { readonly base: string };

async function readConfigured(
  { file, roots }: ConfiguredRoots,
  base: string,
  context: SourceContext,
): Promise<RootList> {
  if (!Array.isArray(roots))
    return { roots: [], rejected: [malformed(roots, `"roots" in ${file} is not a list`)] };
  const entries: PathEntry[] = [];
  const rejected: Rejection[] = [];
  for (const value of roots as readonly unknown[]) {
    const entry = readEntry(value, file);
    if (entry === undefined)
      rejected.push(malformed(value, 'it is neither a path nor an object with a "path"'));
    else entries.push(entry);
  }
  const list = await readPaths('config', entries, context, base);
  return { roots: list.roots, rejected: [...rejected, ...list.rejected] };
}

function readEntry(value: unknown, file: string): PathEntry | undefined {
  if (typeof value === 'string') return { path: value };
  if (!isObject(value) || typeof value['path'] !== 'string') return undefined;
  for (const key of Object.keys(value)) requireKnown(key, file);
  const { path, access } = value;
  const name = typeof value['name'] === 'string' ? { name: value['name'] } : {};
  // An unknown access value was most likely meant to restrict, so it counts as read-only.
  if (access === undefined) return { path, ...name };
  return { path, ...name, access: access === 'read-write' ? 'read-write' : 'read-only' };
}

const ENTRY_KEYS = ['path', 'name', 'access'];

/** A key that is not known was most likely meant to restrict. */
function requireKnown(key: string, file: string): void {
  if (ENTRY_KEYS.includes(key)) return;
  const nearest = MEANT[key.toLowerCase()] ?? nearestMatch(key, ENTRY_KEYS);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new RootwardError(
    'invalid-option',
    `Cannot use a root in ${printable(file)}: it has the unknown key "${printable(key)}"${hint}`,
    { path: file, instruction: 'Ask the user to correct what this server was started with' },
  );
}

/** What people may write instead, because other programs call it that. */
const MEANT: Readonly<Record<string, string>> = { readonly: '"access": "read-only"', mode: '"access"' };

async function readRootsFile(context: SourceContext): Promise<RootsFile | undefined> {
  const base = projectDirectory(context);
  if (base === undefined) return undefined;
  const file = (context.style === 'windows' ? win32 : posix).join(base, 'config', 'roots.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = errnoOf(error);
    // A link that leads nowhere is an error: somebody meant a file to be there.
    const isMissing = code === 'ENOENT' && lstatSync(file, { throwIfNoEntry: false }) === undefined;
    if (isMissing || code === 'ENOTDIR') return undefined;
    throw unusable(file, code === undefined ? String(error) : `the disk answered ${code}`);
  }
  const reading = readJson(text);
  if (!reading.ok) throw unusable(file, `${reading.reason} (line ${reading.line})`);
  const roots = isObject(reading.value) ? reading.value['roots'] : undefined;
  if (!Array.isArray(roots)) throw unusable(file, 'it has no list "roots"');
  return { file, base, roots };
}

function unusable(file: string, state: string): RootwardError {
  return new RootwardError('malformed', `Cannot use ${printable(file)}: ${state}`, {
    path: file,
    instruction: 'Ask the user to correct what this server was started with',
  });
}

function malformed(value: unknown, state: string): Rejection {
  const declared = printable(JSON.stringify(value) ?? String(value));
  return { declared, source: 'config', reason: 'malformed', message: `Cannot read ${declared}: ${state}` };
}
