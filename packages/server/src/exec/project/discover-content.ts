import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { isObject, type JsonObject } from '@rootward/core/platform';
import { findRunnable } from '../catalogue/runnable-file.js';
import type { IconReader } from './icons.js';
import { findPages } from './pages.js';
import type {
  ProjectCompletion,
  ProjectContent,
  ProjectPrompt,
  ProjectResource,
  ProjectTemplate,
} from './project-content.js';
import { isFile, readObject, type Report } from './read-object.js';
import type { Registrations } from './registrations.js';

export const RESOURCES_FOLDER = 'resources';
export const PROMPTS_FOLDER = 'prompts';
export const PROVIDERS_FOLDER = 'providers';
const METADATA_ENDING = '.meta.json';
const MAX_DEPTH = 3;
const MAX_SECONDS = 86_400;
/** What the server itself offers. */
const OWN_SCHEMES = /^(?:workspace|guide):/;
const OWN_NAME = 'guide';
const VARIABLE = /\{[^{}\s][^{}]*\}/;
const SCHEMES: Readonly<Record<string, string>> = {
  file: 'file',
  https: 'https',
  echo: 'echo',
  'git+https': 'git',
};

/** One entry, where it was written, and what its paths are relative to. */
interface Entry {
  readonly value: JsonObject;
  readonly file: string;
  readonly base: string;
}

/** Looks through everything of a project that is no tool. What is wrong with one thing never hides another. */
export async function discoverContent(
  project: string,
  registrations: Registrations | undefined,
  { icons, report }: { readonly icons: IconReader; readonly report: Report },
): Promise<ProjectContent> {
  const found = await entriesIn(join(project, RESOURCES_FOLDER), report);
  const { entries = {}, file: registered = '' } = registrations ?? {};
  const listed = (kind: keyof typeof entries, folder: string): readonly Entry[] | undefined =>
    entries[kind]?.map((value) => ({ value, file: registered, base: join(project, folder) }));
  const templates = found.filter(({ value }) => 'uriTemplate' in value);
  const resources =
    listed('resources', RESOURCES_FOLDER) ?? found.filter(({ value }) => !('uriTemplate' in value));
  const prompts =
    listed('prompts', PROMPTS_FOLDER) ?? (await entriesIn(join(project, PROMPTS_FOLDER), report));
  const pages = await findPages(project, icons, report);
  const readResources = unique(
    [
      ...(await Promise.all(resources.map((entry) => readResource(entry, { project, icons }, report)))),
      ...pages,
    ],
    ({ uri }) => uri,
  );
  const names = new Set(readResources.map(({ name }) => name));
  const readTemplates = unique(
    // What is registered by hand wins over what is found.
    await Promise.all(
      [...(listed('resourceTemplates', RESOURCES_FOLDER) ?? []), ...templates].map((entry) =>
        readTemplate(entry, { taken: names, icons }, report),
      ),
    ),
    ({ name }) => name,
  );
  const completions: (ProjectCompletion | undefined)[] = [];
  for (const entry of listed('completions', '') ?? []) {
    completions.push(await readCompletion(entry, project, report));
  }
  return {
    resources: readResources,
    templates: readTemplates,
    prompts: unique(
      await Promise.all(prompts.map((entry) => readPrompt(entry, icons, report))),
      ({ name }) => name,
    ),
    completions: unique(completions, ({ name }) => name),
  };
}

function unique<Each>(list: readonly (Each | undefined)[], key: (each: Each) => string): readonly Each[] {
  const known = new Map<string, Each>();
  for (const each of list) if (each !== undefined && !known.has(key(each))) known.set(key(each), each);
  return [...known.values()];
}

/** Every `*.meta.json` below a folder. */
async function entriesIn(folder: string, report: Report, depth = MAX_DEPTH): Promise<readonly Entry[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: Entry[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory() && depth > 1) found.push(...(await entriesIn(path, report, depth - 1)));
    if (!entry.isFile() || !entry.name.endsWith(METADATA_ENDING)) continue;
    const value = await readObject(path, report);
    if (value !== undefined) found.push({ value, file: path, base: folder });
  }
  return found;
}

async function readResource(
  entry: Entry,
  { project, icons }: { readonly project: string; readonly icons: IconReader },
  report: Report,
): Promise<ProjectResource | undefined> {
  const { value, file, base } = entry;
  const { uri, path, mimeType, provider } = value;
  const name = nameOf(value, file);
  if (name === undefined) return report(file, 'name', 'it must be a string');
  if (typeof uri !== 'string')
    return report(file, 'uri', 'it is missing; a resource needs uri or uriTemplate');
  const local = /^file:\/\/(\.{1,2}\/.*)$/.exec(uri)?.[1];
  if (!URL.canParse(uri)) return report(file, 'uri', `${JSON.stringify(uri)} is not a URI`);
  if (OWN_SCHEMES.test(uri)) return report(file, 'uri', 'such addresses are those of the server itself');
  const reader = providerOf(provider, uri);
  // As the SDK compares it with what a client asks for.
  const { href } = new URL(uri);
  const named = typeof path === 'string' ? resolve(base, path) : undefined;
  const here = local === undefined ? fileOf(href) : resolve(project, local);
  return {
    name,
    uri: href,
    mimeType: typeof mimeType === 'string' ? mimeType : 'text/plain',
    provider: reader,
    file: reader === 'file' ? (here ?? named) : undefined,
    shown: await shownOf(entry, icons),
  };
}

function fileOf(href: string): string | undefined {
  try {
    const { protocol, host, pathname } = new URL(href);
    return protocol === 'file:' && host === '' ? decodeURIComponent(pathname) : undefined;
  } catch {
    return undefined;
  }
}

async function readTemplate(
  entry: Entry,
  { taken, icons }: { readonly taken: ReadonlySet<string>; readonly icons: IconReader },
  report: Report,
): Promise<ProjectTemplate | undefined> {
  const { value, file } = entry;
  const { uriTemplate, uri, mimeType, provider } = value;
  const name = nameOf(value, file);
  if (name === undefined) return report(file, 'name', 'it must be a string');
  if (uri !== undefined) return report(file, 'uri', 'it cannot stand beside uriTemplate');
  if (typeof uriTemplate !== 'string' || !VARIABLE.test(uriTemplate)) {
    return report(file, 'uriTemplate', 'it must hold a variable, such as {path}');
  }
  if (name === OWN_NAME) return report(file, 'name', `"${name}" is taken by the server itself`);
  if (taken.has(name)) return report(file, 'name', `"${name}" is taken by a resource`);
  return {
    name,
    uriTemplate,
    mimeType: typeof mimeType === 'string' ? mimeType : undefined,
    provider: providerOf(provider, uriTemplate),
    shown: await shownOf(entry, icons),
  };
}

async function readPrompt(
  { value, file, base }: Entry,
  icons: IconReader,
  report: Report,
): Promise<ProjectPrompt | undefined> {
  const { path, description, arguments: schema, role } = value;
  const name = nameOf(value, file);
  if (name === undefined) return report(file, 'name', 'it must be a string');
  if (name === OWN_NAME) return report(file, 'name', `"${name}" is taken by the server itself`);
  const text = resolve(base, typeof path === 'string' ? path : `${parse(stem(file)).base}.txt`);
  if (!(await isFile(text))) return report(file, 'path', `${text} is not a file`);
  if (schema !== undefined && !isObject(schema)) return report(file, 'arguments', 'it must be an object');
  const properties = isObject(schema?.['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema?.['required']) ? schema['required'] : [];
  return {
    name,
    description: typeof description === 'string' ? description : undefined,
    icons: await icons.read(value['icons'], { file, folder: base }),
    file: text,
    role: role === 'assistant' ? role : 'user',
    arguments: Object.entries(properties).map(([argument, about]) => ({
      name: argument,
      description:
        isObject(about) && typeof about['description'] === 'string' ? about['description'] : undefined,
      required: required.includes(argument),
    })),
  };
}

async function readCompletion(
  { value, file }: Entry,
  project: string,
  report: Report,
): Promise<ProjectCompletion | undefined> {
  const { name, path, timeoutSecs } = value;
  if (typeof name !== 'string' || typeof path !== 'string') {
    return report(file, 'completions', 'each needs name and path');
  }
  const script = isAbsolute(path) ? path : join(project, path);
  if (!resolve(script).startsWith(`${project}${sep}`)) {
    return report(file, 'completions', `${path} leads outside the project`);
  }
  const runnable = await findRunnable(script, project);
  if ('problem' in runnable) return report(script, undefined, runnable.problem.message);
  const isTime = typeof timeoutSecs === 'number' && timeoutSecs > 0 && timeoutSecs <= MAX_SECONDS;
  return { name, ...runnable, timeoutSecs: isTime ? timeoutSecs : undefined };
}

function providerOf(provider: unknown, uri: string): string {
  if (typeof provider === 'string' && provider !== '') return provider;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1] ?? 'file';
  return SCHEMES[scheme] ?? scheme;
}

/** Without a name, that of its file. */
function nameOf({ name }: JsonObject, file: string): string | undefined {
  if (name === undefined) return basename(stem(file));
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function stem(file: string): string {
  return join(dirname(file), basename(file, METADATA_ENDING));
}

async function shownOf(
  { value: { title, description, annotations, _meta, icons: written }, file, base }: Entry,
  reader: IconReader,
): Promise<JsonObject> {
  const icons = await reader.read(written, { file, folder: base });
  return {
    ...(icons !== undefined && { icons }),
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(isObject(annotations) && { annotations }),
    ...(isObject(_meta) && { _meta }),
  };
}
