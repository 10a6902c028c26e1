import { errnoOf } from '../platform/errno.js';
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
      const list =
        'fault' in file
          ? { roots: [], rejected: [file.fault] }
          : await readConfigured(file, file.base, context);
      for (const fault of list.rejected) {
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

/** A file that names roots, or what is wrong with it. */
type RootsFile =
  | (ConfiguredRoots & { readonly base: string })
  | { readonly file: string; readonly fault: Rejection };

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
    const entry = readEntry(value);
    if (entry === undefined)
      rejected.push(malformed(value, 'it is neither a path nor an object with a "path"'));
    else entries.push(entry);
  }
  const list = await readPaths('config', entries, context, base);
  return { roots: list.roots, rejected: [...rejected, ...list.rejected] };
}

function readEntry(value: unknown): PathEntry | undefined {
  if (typeof value === 'string') return { path: value };
  if (typeof value !== 'object' || value === null || !('path' in value)) return undefined;
  const { path } = value;
  if (typeof path !== 'string') return undefined;
  const name = 'name' in value && typeof value.name === 'string' ? { name: value.name } : {};
  const access = 'access' in value ? value.access : undefined;
  // An access we do not know is most likely meant to restrict, so the stricter of the two is taken.
  if (access === undefined) return { path, ...name };
  return { path, ...name, access: access === 'read-write' ? 'read-write' : 'read-only' };
}

async function readRootsFile(context: SourceContext): Promise<RootsFile | undefined> {
  const base = projectDirectory(context);
  if (base === undefined) return undefined;
  const file = (context.style === 'windows' ? win32 : posix).join(base, 'config', 'roots.json');
  try {
    const parsed: unknown = JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
    const roots =
      typeof parsed === 'object' && parsed !== null && 'roots' in parsed ? parsed.roots : undefined;
    return { file, base, roots };
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return undefined;
    const state = code === undefined ? 'it is not JSON' : `the disk answered ${code}`;
    const declared = printable(file);
    const message = `Cannot use ${declared}: ${state}`;
    return { file, fault: { declared, source: 'config', reason: 'malformed', message } };
  }
}

function malformed(value: unknown, state: string): Rejection {
  const declared = printable(JSON.stringify(value) ?? String(value));
  return { declared, source: 'config', reason: 'malformed', message: `Cannot read ${declared}: ${state}` };
}
