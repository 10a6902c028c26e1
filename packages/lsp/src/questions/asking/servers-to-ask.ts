import type { Root } from '@rootward/core';
import { RootwardLspError, type LspErrorCode } from '../../error.js';
import { sourceFiles } from '../../documents/source-files.js';
import type { LanguageServers } from '../../pool/language-servers.js';
import type { KnownFolders } from '../../pool/project-folder.js';
import type { ServerDefinition } from '../../servers/definition.js';
import { languageName } from '../../servers/script-name.js';
import type { CodeContext } from '../../pool/code-context.js';

/** A server for some of the files that were found. */
export interface ServerToAsk {
  readonly definition: ServerDefinition;
  /** One file of each project, by the project's folder. */
  readonly projects: ReadonlyMap<string, string>;
}

/** A language without a server. */
export interface Unserved {
  readonly language: string;
  readonly error: RootwardLspError;
  /** It has more files than all others that are served. */
  readonly isMain: boolean;
}

export interface ServersToAsk {
  readonly toAsk: readonly ServerToAsk[];
  /** The source files that were found; those that git ignores are not among them. */
  readonly files: ReadonlySet<string>;
  /** Files of which nothing can be asked. */
  readonly unservedFiles: readonly string[];
  /** Languages of which nothing can be asked, and why. */
  readonly unserved: readonly Unserved[];
  /** What was not looked at, and why. */
  readonly notes: readonly string[];
  /** Nothing that could be asked was passed over. */
  readonly complete: boolean;
}

/** Names looked at to learn what a root holds: as many files as are compared with the disk for a question. */
const MAX_NAMES = 20_000;
/** Languages that are not served here at all; asking again would change nothing. */
const NOT_SERVED: ReadonlySet<LspErrorCode> = new Set([
  'no-server',
  'not-installed',
  'not-trusted',
  'broad-root',
]);
/** The key of a server that is one for all projects. */
const ALL_PROJECTS = '';

/** Which servers there are to ask about some roots, and in which projects. Starts none of them. */
export async function serversToAsk(
  { servers, scope, signal }: CodeContext,
  roots: readonly Root[],
): Promise<ServersToAsk> {
  const files = new Set<string>();
  const found = new Map<ServerDefinition, Map<string, string>>();
  const folders = new Map<ServerDefinition, KnownFolders>();
  const unserved = new Map<RootwardLspError, { language: string; files: number }>();
  const unservedFiles: string[] = [];
  let served = 0;
  const notes = new Set<string>();
  let complete = true;
  const serverFor = remembered(servers);
  const wanted = (path: string): boolean | Promise<boolean> => servers.isKnown(scope, path);
  for (const root of roots) {
    if (root.broad) {
      complete = false;
      notes.add(tooBroad(root));
    }
    let names = 0;
    for await (const { path: file } of sourceFiles(scope, { roots: [root], wanted, signal })) {
      names += 1;
      if (names > MAX_NAMES) {
        complete = false;
        notes.add(
          `"${root.path}" has more than ${MAX_NAMES} source files; what comes after them was not asked about`,
        );
        break;
      }
      files.add(file);
      const name = await languageName(scope, file);
      const definition = await serverFor(name);
      if (definition instanceof RootwardLspError) {
        if (mayAddToAnswer(definition)) complete = false;
        else unservedFiles.push(file);
        const known = unserved.get(definition);
        const language = servers.candidatesFor(name)[0]?.language ?? name;
        unserved.set(definition, { language, files: (known?.files ?? 0) + 1 });
        continue;
      }
      served += 1;
      const known = entry(folders, definition);
      const hasMany = (servers.kindOf(definition) ?? 'per-root') === 'per-root';
      const folder = hasMany ? servers.folderOf(definition, scope, file, known) : undefined;
      const projects = entry(found, definition);
      const key = folder ?? ALL_PROJECTS;
      if (!projects.has(key)) projects.set(key, file);
    }
  }
  const toAsk = [...found].map(([definition, projects]) => ({ definition, projects: sorted(projects) }));
  // One language that is not served leaves the others whole; where none is, an empty answer says nothing.
  const anyServed = toAsk.length > 0 || (unserved.size === 0 && notes.size === 0);
  return {
    toAsk,
    files,
    unservedFiles,
    unserved: [...unserved]
      .map(([error, { language, files: count }]) => ({ error, language, isMain: count > served }))
      .toSorted((a, b) => Number(b.isMain) - Number(a.isMain)),
    notes: [...notes],
    complete: complete && anyServed,
  };
}

/** Whether there is a server for any of some files. */
export async function isAnyServed(servers: LanguageServers, files: readonly string[]): Promise<boolean> {
  const serverFor = remembered(servers);
  for (const file of files) if (!((await serverFor(file)) instanceof RootwardLspError)) return true;
  return false;
}

/** Whether what failed could have added to an answer. */
export function mayAddToAnswer({ code }: RootwardLspError): boolean {
  return !NOT_SERVED.has(code);
}

export function describeError({ message, instruction }: RootwardLspError): string {
  return instruction === undefined ? message : `${message}. ${instruction}`;
}

/** What is said of a root that is not looked through. */
export function tooBroad({ path }: Root): string {
  return `"${path}" is too broad to be looked through. Open the folder of the project as a root`;
}

/** Sorted, so that the same projects are asked each time if not all can be. */
function sorted(projects: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...projects].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Looks for the server of each kind of file once. */
function remembered(
  servers: LanguageServers,
): (file: string) => Promise<ServerDefinition | RootwardLspError> {
  const known = new Map<string, Promise<ServerDefinition | RootwardLspError>>();
  return (file) => {
    const kind = servers
      .candidatesFor(file)
      .map(({ name }) => name)
      .join('\n');
    let server = known.get(kind);
    if (server === undefined) {
      server = servers.definitionFor(file).catch((error: unknown) => {
        if (error instanceof RootwardLspError) return error;
        throw error;
      });
      known.set(kind, server);
    }
    return server;
  };
}

function entry<Key, Inner extends string | undefined>(
  map: Map<Key, Map<string, Inner>>,
  key: Key,
): Map<string, Inner> {
  let inner = map.get(key);
  if (inner === undefined) {
    inner = new Map();
    map.set(key, inner);
  }
  return inner;
}
