import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { rootsDisk, type RootsDisk } from '../../src/roots/roots-disk.js';
import type { PathEntry } from '../../src/roots/declaration.js';
import { resolveSnapshot } from '../../src/snapshot/resolve-snapshot.js';
import { readSources, type Sources, type SourcesOptions } from '../../src/sources/read-sources.js';
import type { WorkspaceChange } from '../../src/workspace/changes/change.js';
import { Deferred } from '../../src/platform/async.js';
import type { RootsPort } from '../../src/workspace/asking/roots-port.js';
import type { KeptWorkspace } from '../../src/workspace/kept-workspace.js';
import type { WorkspaceSetup } from '../../src/workspace/workspace-setup.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { FakeClock, settle } from '../../../../testing/fake-clock.js';

interface Call {
  readonly signal: AbortSignal;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A client that answers when told to, in any order, with anything. */
export class ScriptedClient implements RootsPort {
  readonly calls: Call[] = [];

  ask(signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.calls.push({ signal, resolve, reject });
    });
  }

  get asked(): number {
    return this.calls.length;
  }

  /** Answers the latest request, or the one with the given number, counted from 1. */
  async answer(directories: readonly string[], number: number = this.asked): Promise<void> {
    await this.result({ roots: directories.map((path) => ({ uri: pathToFileURL(path).href })) }, number);
  }

  async result(result: unknown, number: number = this.asked): Promise<void> {
    this.#call(number).resolve(result);
    await settle();
  }

  async error(code: number | undefined, number: number = this.asked): Promise<void> {
    this.#call(number).reject(
      Object.assign(new Error('no roots for you'), code === undefined ? {} : { code }),
    );
    await settle();
  }

  #call(number: number): Call {
    const call = this.calls[number - 1];
    if (call === undefined) throw new Error(`request ${number} was never sent`);
    return call;
  }
}

/** The real disk without its thread pool: lookups are done once promises have settled, however busy the machine is. */
export const promptDisk: RootsDisk = {
  ...rootsDisk,
  async realpath(path) {
    return realpathSync.native(path);
  },
};

/** A fresh canonical directory with the given folders in it, removed after the test. */
export function makeTree(...folders: readonly string[]): (name: string) => string {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  for (const folder of folders) mkdirSync(join(top, folder), { recursive: true });
  return (name) => join(top, name);
}

export interface Connection {
  readonly workspace: Workspace;
  readonly client: ScriptedClient;
  readonly clock: FakeClock;
}

type ConnectOptions = Partial<SourcesOptions> &
  Omit<Partial<WorkspaceSetup>, 'sources' | 'clock'> & {
    /** The client can be asked at any time, as over stdio; otherwise only through a port passed to a call. */
    readonly standing?: boolean;
  };

/** A workspace and its client, with nothing of this machine's environment. */
export async function connect(options: ConnectOptions = {}): Promise<Connection> {
  const clock = new FakeClock();
  const client = new ScriptedClient();
  const sources = await readSources({ environment: {}, home: '/nowhere/home', disk: promptDisk, ...options });
  const workspace = new Workspace({
    ...((options.standing ?? true) && { port: client }),
    ...options,
    sources,
    clock,
  });
  onTestFinished(() => workspace.dispose());
  return { workspace, client, clock };
}

/** The same, with a client that declared roots and was asked already. */
export async function connectAsked(options: ConnectOptions = {}): Promise<Connection> {
  const connection = await connect(options);
  connection.workspace.clientDeclared({ roots: true, listChanged: true, clientInfo: { name: 'tester' } });
  connection.workspace.clientReady();
  return connection;
}

interface SlowConnection extends Connection {
  readonly gate: Deferred;
  readonly path: string;
}

/** The same, with a disk that finds the one folder only when the gate opens. */
export async function connectSlowly(): Promise<SlowConnection> {
  const tree = makeTree('a');
  const gate = new Deferred();
  const connection = await connectAsked({
    disk: {
      realpath: (path) => (path === tree('a') ? gate.promise.then(() => path) : Promise.resolve(path)),
      inspect: () => 'directory',
    },
  });
  return { ...connection, gate, path: tree('a') };
}

export function pathsOf(workspace: Workspace): readonly string[] {
  return paths(workspace.snapshot().roots);
}

export function paths(roots: readonly { readonly path: string }[]): readonly string[] {
  return roots.map((root) => root.path);
}

/** One answer after the other, each to a request of its own, without waiting for followers. */
export async function changeTo(
  { workspace, client, clock }: Connection,
  lists: readonly (readonly string[])[],
): Promise<void> {
  for (const list of lists) {
    if (client.asked > 1 || workspace.stats().answers > 0) {
      await clock.advanceAndSettle(1_000);
      workspace.rootsChanged();
    }
    await client.answer(list);
  }
}

type Answer = { readonly result: unknown } | { readonly error: unknown };

/** The client says that its roots changed, is asked, and answers with this. */
export async function clientSays(workspace: Workspace, answer: Answer): Promise<void> {
  workspace.clientDeclared({ roots: true });
  workspace.clientReady();
  workspace.rootsChanged();
  const ask = async (): Promise<unknown> => {
    if ('error' in answer) throw answer.error;
    return answer.result;
  };
  await workspace.ready({ port: { ask } });
}

/** The same, with these folders. */
export async function clientNames(workspace: Workspace, ...folders: readonly string[]): Promise<void> {
  await clientSays(workspace, {
    result: { roots: folders.map((path) => ({ uri: pathToFileURL(path).href })) },
  });
}

/** What is kept of a workspace whose client named this folder. */
export function keptAnswer(folder: string): KeptWorkspace {
  return { client: 'answered', roots: [{ uri: pathToFileURL(folder).href }], hasGiven: true };
}

/** A workspace that starts with the roots of a handle. */
export async function openHandle(sources: Sources, handle: readonly PathEntry[]): Promise<Workspace> {
  const from = await resolveSnapshot(sources, { declaresRoots: false, handle }, { now: 0 });
  const workspace = new Workspace({ sources, from });
  onTestFinished(() => workspace.dispose());
  return workspace;
}

/** Whether a promise is settled by now. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => {
    settled = true;
  };
  void promise.then(note, note);
  await settle();
  return settled;
}

/** The changes the workspace announces from now on. */
export function record(workspace: Workspace): WorkspaceChange[] {
  const changes: WorkspaceChange[] = [];
  workspace.onDidChange((change) => changes.push(change));
  return changes;
}
