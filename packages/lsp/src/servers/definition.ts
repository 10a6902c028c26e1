/**
 * How a server relates to folders. `shared`: one process for all, told of every folder that comes or goes. `per-root`:
 * knows the one folder it was started in. `file-driven`: serves whatever file is opened, and forgets nothing.
 */
export type FolderKind = 'shared' | 'per-root' | 'file-driven';

/** A language server: what it is for, how it is started, and how it treats folders. */
export interface ServerDefinition {
  /** Also its name in configuration. */
  readonly name: string;
  /** For people, such as "Python". */
  readonly language: string;
  /** From the end of a file's name to the language identifier of the protocol. */
  readonly extensions: Readonly<Record<string, string>>;
  /** Tried in this order; a bare name is looked up on `PATH`, an absolute path is taken as it is. */
  readonly commands: readonly string[];
  readonly args?: readonly string[];
  /** How the real program is found, where the one on `PATH` is only a wrapper. */
  readonly program?: 'typescript-native';
  /** Whether our own tests run it. */
  readonly isTested?: boolean;
  /** How to install it. */
  readonly install: string;
  /** Measured, and stronger than what the server announces about itself. */
  readonly folders?: FolderKind;
  /** Works through what it is sent one after the other, so that nothing has to be waited for between. */
  readonly answersInOrder?: boolean;
  /** Measured: the most symbols it gives for a question; `Infinity` where it gives all. Undefined where nobody knows. */
  readonly maxSymbols?: number;
  /** Files that mark the folder of a project, nearest first. */
  readonly markers?: readonly string[];
  /** Why it runs code of the workspace that cannot be switched off. Such a server needs `trustWorkspaceServers`. */
  readonly runsWorkspaceCode?: string;
  /** What `workspace/configuration` answers, by section. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly initializationOptions?: unknown;
  /** A module that must be found beside the program and is named in its initialization options. */
  readonly companion?: Companion;
  readonly environment?: Readonly<Record<string, string>>;
  /** Measured: an unrelated folder beside changes its answers. It gets a process for each root. */
  readonly mixesFolders?: boolean;
  /** Takes all definitions of a name for one symbol, although each program of a folder may have its own. */
  readonly linksNames?: boolean;
  /**
   * A glob of the files that it reads into an index when it starts, from a compilation database that is written for it.
   * It does not look at them again, so after a change of one that is not open it is started anew.
   */
  readonly indexed?: string;
  /**
   * A glob of the files that others include. It does not look at them again by itself: after a change of one, what it
   * was shown is closed, and opened anew for the next question.
   */
  readonly included?: string;
  /**
   * Measured: by what to tell that it has sent all it finds wrong in a document, where it cannot be asked for that.
   * `at once`: the first message has all. `with a version`: the first that names the version; one without is of the file
   * on disk, and early. Undefined where it sends parts or nobody knows.
   */
  readonly sendsAll?: 'at once' | 'with a version';
  /** What it adds to a message where it has seen a file that would help, whatever the message is about. */
  readonly hints?: RegExp;
  /** Has to be told how headers are compiled. */
  readonly headersOfC?: boolean;
  /** The values in what it says, with their quotes: constants that a type spells out. Global. */
  readonly literals?: RegExp;
  /** Needs only the files it is shown, so its program may not read any file of the workspace. */
  readonly readsOnlyItself?: boolean;
  /** Notifications sent after the handshake. */
  readonly announces?: readonly string[];
  /** Variables of our own environment that it needs beside those every program does. */
  readonly inherits?: readonly string[];
  /** A log message by which the server says that it has seen all files of one folder. */
  readonly ready?: RegExp;
}

interface Companion {
  readonly module: string;
  /** The option under which its path is passed, such as `tsserver.path`. */
  readonly option: readonly [string, string];
}

/** The longest ending a definition knows for a file, so that `.d.ts` can differ from `.ts`. */
export function languageIdOf(
  definition: Pick<ServerDefinition, 'extensions'>,
  file: string,
): string | undefined {
  const name = file.toLowerCase();
  let best: string | undefined;
  for (const extension of Object.keys(definition.extensions)) {
    if (name.endsWith(extension) && extension.length > (best?.length ?? 0)) best = extension;
  }
  return best === undefined ? undefined : definition.extensions[best];
}
