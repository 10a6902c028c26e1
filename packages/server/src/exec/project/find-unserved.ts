import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { TOOLS_FOLDER } from '../catalogue/discover-tools.js';
import { sdkFolder } from '../run/sdk-folder.js';
import { PROMPTS_FOLDER, PROVIDERS_FOLDER, RESOURCES_FOLDER } from './discover-content.js';
import type { Discovery } from './discover-project.js';
import { PAGES_FOLDER } from './pages.js';
import { SERVER_FOLDER } from './registrations.js';

/** A file of a tools project, and why nothing is served from it. */
export interface UnservedFile {
  readonly file: string;
  readonly why: string;
}

const COMPLETIONS_FOLDER = 'completions';
const FOLDERS = [
  TOOLS_FOLDER,
  RESOURCES_FOLDER,
  PROMPTS_FOLDER,
  COMPLETIONS_FOLDER,
  PAGES_FOLDER,
  SERVER_FOLDER,
];
const MAX_DEPTH = 4;
const MAX_SCRIPT_BYTES = 1024 * 1024;
/** Hooks of mcp-bash, and what replaces each of them here. */
const HOOKS: Readonly<Record<string, string>> = {
  'env.sh': 'it is not run; --tool-env names the variables that tools get',
  'policy.sh': 'it is not run; --tools, --hide-tools and --read-only say which tools there are',
  'health-checks.sh': 'it is not run',
};

/** Every file in the folders of a project that is part of nothing served, and is not named as a problem. */
export function findUnserved(
  project: string,
  discovery: Discovery,
  hookRuns: boolean,
): readonly UnservedFile[] {
  const { tools, resources, prompts, completions, templates, iconFiles, problems } = discovery;
  const named = new Set(problems.map(({ file }) => file));
  const toolFolders = tools
    .map(({ file }) => dirname(file))
    .filter((folder) => folder !== join(project, TOOLS_FOLDER));
  const used = new Set<string>([
    ...iconFiles,
    ...tools.flatMap(({ file, metadataFile }) => [file, metadataFile]),
    ...resources.flatMap(({ file }) => (file === undefined ? [] : [file])),
    ...[...prompts, ...completions].map(({ file }) => file),
  ]);
  const isUsed = (file: string): boolean =>
    used.has(file) ||
    [...named].some((path) => path === file || file.startsWith(`${path}${sep}`)) ||
    toolFolders.some((folder) => file.startsWith(`${folder}${sep}`)) ||
    resources.some(
      (each) => each.file !== undefined && dirname(each.file) === dirname(file) && each.provider === 'page',
    );
  const readsFiles = templates.some(({ provider }) => provider === 'file');
  return FOLDERS.flatMap((folder) => filesIn(join(project, folder)))
    .filter((file) => !isUsed(file))
    .flatMap((file) => {
      const why = whyNot(relative(project, file), { hookRuns, readsFiles });
      return why === undefined ? [] : [{ file, why }];
    });
}

/** Undefined for what is served after all, or is metadata that was read. */
function whyNot(
  path: string,
  { hookRuns, readsFiles }: { readonly hookRuns: boolean; readonly readsFiles: boolean },
): string | undefined {
  const [folder, ...rest] = path.split(sep);
  const name = basename(path);
  if (folder === SERVER_FOLDER) {
    if (name === 'server.meta.json' || name === 'register.json') return undefined;
    if (name === 'register.sh') return hookRuns ? undefined : 'it runs only with --register-hook';
    return HOOKS[name] ?? 'nothing here has this name';
  }
  if (folder === COMPLETIONS_FOLDER) return 'it is not registered in server.d/register.json';
  if (folder === TOOLS_FOLDER) {
    if (rest.length > 2) return 'tools lie in tools/, or one folder below';
    if (rest.length === 2) return 'its folder has neither tool.meta.json nor tool.sh';
    return name.endsWith('.meta.json')
      ? 'there is no script of that name beside it'
      : 'it has neither a header "# mcp: {…}" nor metadata beside it, or is not registered';
  }
  if (name.endsWith('.meta.json')) return undefined;
  if (folder === RESOURCES_FOLDER && readsFiles) return undefined;
  return 'no metadata names it';
}

/** A word that looks like a helper, in a script that is served. */
export interface UnknownHelper {
  readonly file: string;
  readonly helper: string;
}

/** Words that look like helper functions but are not. A guess: the script is searched as text. */
export function findUnknownHelpers(
  project: string,
  { tools, completions }: Discovery,
): readonly UnknownHelper[] {
  const known = helperNames();
  const own = filesIn(join(project, 'lib')).flatMap((file) => definedIn(readScript(file)));
  const providers = filesIn(join(project, PROVIDERS_FOLDER));
  const scripts = [...tools, ...completions].map(({ file }) => file).concat(providers);
  return [...new Set(scripts)].flatMap((file) => {
    if (!['.sh', '.bash', ''].includes(extname(file))) return [];
    const text = readScript(file);
    const defined = new Set([...own, ...definedIn(text)]);
    const words = new Set(text.replaceAll(/^\s*#.*$/gm, '').match(/\bmcp_[a-z0-9_]+\b/g) ?? []);
    return [...words]
      .filter((word) => !known.has(word) && !defined.has(word))
      .map((helper) => ({ file, helper }));
  });
}

/** As the libraries define them, some of them on demand. */
function helperNames(): ReadonlySet<string> {
  const texts = filesIn(sdkFolder())
    .filter((file) => file.endsWith('.sh'))
    .map(readScript);
  const lazy = texts.flatMap((text) => [...text.matchAll(/^_mcp_lazy \w+ ((?:[\w ]|\\\n)+)$/gm)]);
  const names = lazy.flatMap(([, list = '']) => list.match(/\w+/g) ?? []);
  return new Set([...texts.flatMap(definedIn), ...names.map((name) => `mcp_${name}`)]);
}

function definedIn(text: string): readonly string[] {
  return [...text.matchAll(/^\s*(?:function\s+)?(mcp_\w+)\s*\(\)/gm)].map(([, name = '']) => name);
}

function readScript(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, MAX_SCRIPT_BYTES);
  } catch {
    return '';
  }
}

function filesIn(folder: string, depth = MAX_DEPTH): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return depth > 1 ? filesIn(path, depth - 1) : [];
        return entry.isFile() ? [path] : [];
      });
  } catch {
    return [];
  }
}
