import { basename, dirname, join, relative, sep } from 'node:path';
import picomatch from 'picomatch';
import type { Scope } from '@rootward/core';
import type { ServerDefinition } from '../servers/definition.js';
import type { PreparedIndex } from './prepared-index.js';

/** A file that says which files belong to a project. */
interface Configuration {
  readonly name: string;
  /** The part of it that counts, such as a table of TOML. */
  readonly section?: RegExp;
}

const SCRIPTS: readonly Configuration[] = [{ name: 'tsconfig.json' }, { name: 'jsconfig.json' }];
const PYTHON: readonly Configuration[] = [
  { name: 'pyrightconfig.json' },
  { name: 'pyproject.toml', section: /^\[tool\.(?:based)?pyright\]$([\s\S]*?)(?=^\[|(?![\s\S]))/m },
];
/** By the language that a server is for. */
const CONFIGURATIONS: Readonly<Record<string, readonly Configuration[]>> = {
  'TypeScript and JavaScript': SCRIPTS,
  Python: PYTHON,
};
const GO_CONSTRAINT = /^\/\/(?:go:build| \+build)\s/m;
const GO_SUFFIX =
  /_(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|386|amd64|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm)(?:_test)?\.go$/;

/** Says why a server does not count a file, as far as configurations tell. */
export async function whyLeftOut(
  scope: Scope,
  {
    definition,
    index,
  }: {
    readonly definition: ServerDefinition;
    readonly index: PreparedIndex | undefined;
  },
  file: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const unknown = `${definition.name} does not say what it means`;
  if (file.endsWith('.go')) {
    const text = await textOf(scope, file, signal);
    const isConstrained = GO_SUFFIX.test(file) || (text !== undefined && GO_CONSTRAINT.test(text));
    return isConstrained ? 'may be left out by its build constraint' : unknown;
  }
  if (index?.isGuessed(file) === true) return 'not listed in compile_commands.json';
  for (const configuration of CONFIGURATIONS[definition.language] ?? []) {
    const found = await nearest(scope, file, configuration.name);
    const text = found === undefined ? undefined : await textOf(scope, found, signal);
    if (found === undefined || text === undefined) continue;
    const { section } = configuration;
    const key = leavesOut(
      section === undefined ? text : (section.exec(text)?.[1] ?? ''),
      relative(dirname(found), file),
    );
    if (key !== undefined) return `left out by "${key}" in ${basename(found)}`;
  }
  return unknown;
}

/** The setting by which a configuration leaves a file out. Pure. */
export function leavesOut(text: string, file: string): 'include' | 'exclude' | 'files' | undefined {
  const path = file.split(sep).join('/');
  const excluded = listOf(text, 'exclude');
  if (excluded?.some((pattern) => matches(pattern, path)) === true) return 'exclude';
  const included = listOf(text, 'include');
  const files = listOf(text, 'files');
  if (included === undefined && files === undefined) return undefined;
  if ([...(included ?? []), ...(files ?? [])].some((pattern) => matches(pattern, path))) return undefined;
  return included === undefined ? 'files' : 'include';
}

/** The strings of a list in JSON or TOML. Pure. */
function listOf(text: string, key: string): readonly string[] | undefined {
  const list = new RegExp(String.raw`(?:^|[\s,{])["']?${key}["']?\s*[:=]\s*\[([^\]]*)\]`, 'm').exec(
    text,
  )?.[1];
  return list === undefined
    ? undefined
    : [...list.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b ?? '');
}

/** A pattern names a file, or a folder with all that is in it. */
function matches(pattern: string, path: string): boolean {
  const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
  if (plain === '' || plain === '.') return true;
  return picomatch.isMatch(path, [plain, `${plain}/**`], { dot: true });
}

async function nearest(scope: Scope, file: string, name: string): Promise<string | undefined> {
  const { root } = scope.locate(file);
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    try {
      const { path, exists } = scope.locate(join(folder, name));
      if (exists) return path;
    } catch {
      return undefined;
    }
    if (folder === root.path || folder === dirname(folder)) return undefined;
  }
}

async function textOf(
  scope: Scope,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return (await scope.readText(path, signal === undefined ? {} : { signal })).text;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
