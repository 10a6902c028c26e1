import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { fail } from './result.js';
import { readVariable } from './args.js';

/** A root as the server hands it to a tool. `path` is canonical. */
export interface ToolRoot {
  readonly uri: string;
  readonly name: string;
  readonly path: string;
}

const INVALID_ARGUMENTS = -32_602;
const MAX_LINKS = 40;

/** The roots of the call. They stay what they are while the tool runs. */
export function roots(): readonly ToolRoot[] {
  const value: unknown = JSON.parse(readVariable('MCP_ROOTS_JSON', 'MCP_ROOTS_JSON_FILE') ?? '[]');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the server that started the tool
  return Array.isArray(value) ? (value as readonly ToolRoot[]) : [];
}

/**
 * Whether a path is inside a root, links resolved; relative ones are relative to the current directory. Advice only:
 * what is at the path may be another thing when it is opened.
 */
export function contains(path: string): boolean {
  const canonical = canonicalise(path);
  return canonical !== undefined && isInside(canonical, roots());
}

/**
 * The canonical path; ends the tool when it is outside the roots. Relative ones are looked for in the current
 * directory, then in each root.
 */
export function requirePath(path: unknown): string {
  if (typeof path !== 'string' || path === '') return fail('a path is required', { code: INVALID_ARGUMENTS });
  const known = roots();
  const folders = isAbsolute(expandHome(path)) ? [''] : ['', ...known.map((root) => root.path)];
  const candidates = folders
    .map((folder) => canonicalise(folder === '' ? path : `${folder}${sep}${path}`))
    .filter((candidate) => candidate !== undefined)
    .filter((candidate) => isInside(candidate, known));
  const [found] = [...candidates.filter((candidate) => existsSync(candidate)), ...candidates];
  return found ?? fail(`${path} is outside the roots`, { code: INVALID_ARGUMENTS });
}

function isInside(path: string, known: readonly ToolRoot[]): boolean {
  return known.some((root) => {
    const rest = relative(root.path, path);
    return rest === '' || !(rest === '..' || rest.startsWith(`..${sep}`) || isAbsolute(rest));
  });
}

/** Every link resolved, as far as the path exists. `..` means what the disk says. */
function canonicalise(given: string): string | undefined {
  const path = expandHome(given);
  if (path === '' || path.includes('\0')) return undefined;
  const start = isAbsolute(path) ? path : `${process.cwd()}${sep}${path}`;
  const { root } = parse(start);
  let done = root;
  let rest = partsOf(start.slice(root.length));
  for (let links = 0; rest.length > 0;) {
    const [part, ...others] = rest;
    rest = others;
    if (part === undefined || part === '.') continue;
    if (part === '..') {
      done = resolve(done, '..');
      continue;
    }
    const next = join(done, part);
    const target = linkTarget(next);
    if (target === undefined) {
      done = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return undefined;
    const base = parse(target).root;
    if (isAbsolute(target)) done = base;
    rest = [...partsOf(target.slice(base.length)), ...rest];
  }
  return done;
}

/** `~` and `~/x` mean the home directory, as they do for the tools of the server. */
function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path;
}

function partsOf(path: string): string[] {
  return path.split(sep === '/' ? '/' : /[\\/]/).filter((part) => part !== '');
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
