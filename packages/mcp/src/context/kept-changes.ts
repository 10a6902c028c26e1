import { createHash, randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { ChangeTally } from '@rootward/core';
import type {
  Logger,
  Plan,
  Project,
  Recorder,
  Recording,
  Root,
  Scope,
  Snapshot,
  Workspace,
} from '@rootward/core';
import type { ChangeAbout, ChangeRecorder, History } from '@rootward/core/history';
import type { WorkingTree } from './placed-view.js';
import type { CallHistory, WorkspaceContext } from './workspace-context.js';

/** Opens the history, when the first change is about to be made. */
export type OpenHistory = () => History | Promise<History>;

/** Who makes a call, as the history records it. */
export interface Caller {
  readonly session: string;
  readonly client: string | undefined;
  /** Whose changes they are: see `ownerOf`. Empty where all are of one user. */
  readonly principal: string;
}

const ID_BYTES = 4;
const DIGEST_LENGTH = 16;
const MAX_NAME = 80;

/** A name for a connection, by which a history tells it from others. */
export function newSession(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

/** How the history identifies a caller over HTTP: a digest that tells callers apart and reveals nothing of a token. */
export function principalDigest(principal: string): string {
  return createHash('sha256').update(`http ${principal}`).digest('hex').slice(0, DIGEST_LENGTH);
}

/** The history of this user, in its usual place. Loaded with the first change. */
export function usualHistory(
  environment: Readonly<Record<string, string | undefined>>,
  home: string | undefined,
  log: Logger | undefined,
): OpenHistory {
  let opening: Promise<History> | undefined;
  const open = async (): Promise<History> => {
    const { History: Kept, historyDirectory } = await import('@rootward/core/history');
    return new Kept({ directory: historyDirectory(environment, home ?? homedir()), log });
  };
  return () => (opening ??= open());
}

/** What one call changes, kept as one change. Costs nothing until something is changed. */
class CallRecorder implements Recorder {
  readonly #open: OpenHistory;
  readonly #about: () => ChangeAbout;
  readonly #roots: readonly Root[];
  #starting: Promise<ChangeRecorder> | undefined;
  #recorder: ChangeRecorder | undefined;

  constructor(open: OpenHistory, about: () => ChangeAbout, roots: readonly Root[]) {
    this.#open = open;
    this.#about = about;
    this.#roots = roots;
  }

  get id(): string | undefined {
    return this.#recorder?.id;
  }

  async record(plan: Plan, signal?: AbortSignal): Promise<Recording> {
    const recorder = this.#recorder ?? (await (this.#starting ??= this.#start()));
    return recorder.record(plan, signal);
  }

  finish(): void {
    this.#recorder?.finish();
  }

  async #start(): Promise<ChangeRecorder> {
    const history = await this.#open();
    this.#recorder = history.change(this.#about(), this.#roots);
    return this.#recorder;
  }
}

class KeptChange implements CallHistory {
  readonly #open: OpenHistory;
  readonly #caller: () => Caller;
  readonly #id: () => string | undefined;

  constructor(open: OpenHistory, caller: () => Caller, id: () => string | undefined) {
    this.#open = open;
    this.#caller = caller;
    this.#id = id;
  }

  get changeId(): string | undefined {
    return this.#id();
  }

  get session(): string {
    return this.#caller().session;
  }

  get principal(): string {
    return this.#caller().principal;
  }

  async open(): Promise<History> {
    return this.#open();
  }
}

/**
 * A context that knows whether its call changed something, and whose file access keeps what was there before, where
 * there is a history. Costs next to nothing until something is changed.
 */
export class RecordedContext implements WorkspaceContext {
  readonly #context: WorkspaceContext;
  readonly #open: OpenHistory | undefined;
  readonly #tool: string;
  readonly #caller: () => Caller;
  readonly tally: ChangeTally = new ChangeTally();
  #history: CallHistory | undefined;
  #recorder: CallRecorder | undefined;
  #scope: Promise<Scope> | undefined;

  constructor(context: WorkspaceContext, open: OpenHistory | undefined, tool: string, caller: () => Caller) {
    this.#context = context;
    this.#open = open;
    this.#tool = tool;
    this.#caller = caller;
  }

  get changed(): boolean {
    return this.tally.changed;
  }

  get history(): CallHistory | undefined {
    if (this.#open === undefined) return undefined;
    return (this.#history ??= new KeptChange(this.#open, this.#caller, () => this.#recorder?.id));
  }

  snapshot(): Promise<Snapshot> {
    return this.#context.snapshot();
  }

  roots(): Promise<readonly Root[]> {
    return this.#context.roots();
  }

  scope(): Promise<Scope> {
    this.#scope ??= this.#context.scope().then((scope) => {
      if (this.#open !== undefined) {
        this.#recorder = new CallRecorder(this.#open, () => this.#about(), scope.roots);
      }
      return scope.recordedBy(this.#recorder, this.tally);
    });
    this.#scope.catch(() => undefined);
    return this.#scope;
  }

  project(): Promise<Project> {
    return this.#context.project();
  }

  directory(): Promise<string | undefined> {
    return this.#context.directory();
  }

  explain(): Promise<string> {
    return this.#context.explain();
  }

  rootsShown(): Promise<void> {
    return this.#context.rootsShown();
  }

  live(): Promise<Workspace> {
    return this.#context.live();
  }

  handle(roots?: readonly Root[]): Promise<string | undefined> {
    return this.#context.handle(roots);
  }

  tree(): Promise<WorkingTree | undefined> {
    return this.#context.tree();
  }

  treeHandle(directory: string): Promise<string | undefined> {
    return this.#context.treeHandle(directory);
  }

  /** The call is over. */
  finish(): void {
    this.#recorder?.finish();
  }

  #about(): ChangeAbout {
    const { session, client, principal } = this.#caller();
    return {
      tool: this.#tool,
      session,
      ...(client !== undefined && { client: client.slice(0, MAX_NAME) }),
      ...(principal !== '' && { principal }),
    };
  }
}
