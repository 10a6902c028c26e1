import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Scope, type Root } from '@rootward/core';
import type { ChildRegistry } from '@rootward/mcp';
import type { SandboxChild } from '@rootward/sandbox';
import { MINIMAL, type EnvironmentMode } from '../../settings/values/environment-mode.js';
import type { SandboxGrant } from '../../settings/values/sandbox-settings.js';
import { readChannelLine, type ToolNews, type ToolQuestion } from '../answer/channel-message.js';
import { embeddedBlocks } from '../answer/embedded-resources.js';
import type { RunOutcome } from '../answer/run-outcome.js';
import { readAnswer, type ToolAnswer, withNote } from '../answer/tool-result.js';
import type { ExecutableTool } from '../catalogue/executable-tool.js';
import { JsonTools } from './json-tools.js';
import { noteCancellation, putAnswer, readNamed, removeAll, takeFile } from './run-files.js';
import { RunResources } from './run-resources.js';
import { runProcess, type RunProcessOptions } from './run-process.js';
import { sdkFolder } from './sdk-folder.js';
import { RunSlots } from './run-slots.js';
import { describeRoots, inheritedVariables, toolEnvironment } from './tool-environment.js';
import type {
  ClientAbilities,
  DescribedRoots,
  InheritedVariables,
  ToolEnvironment,
  Variables,
} from './tool-environment.js';

export interface ToolRunnerOptions {
  /** The canonical folder of the tools project. */
  readonly project: string;
  /** The environment of the server. */
  readonly environment: Variables;
  readonly mode?: EnvironmentMode;
  readonly children: ChildRegistry;
  /** Makes the sandbox of each run; without it, and where it is undefined, there is none. */
  readonly sandbox?: ((run: SandboxRequest) => Promise<RunSandbox | undefined>) | undefined;
  /** Hosts that tools may download from; none by default. */
  readonly downloadHosts?: readonly string[] | undefined;
  readonly limits?: Partial<RunLimits>;
}

/** What the sandbox of one run is made from. */
interface SandboxRequest {
  readonly name: string;
  readonly file: string;
  readonly scope: Scope;
  /** What the tool asks for itself. */
  readonly wishes: SandboxGrant;
  /** Folders it cannot do without. */
  readonly read: readonly string[];
  readonly signal: AbortSignal;
}

/** The sandbox of one run, and its description for people. */
export interface RunSandbox {
  readonly child: SandboxChild;
  readonly description: string;
  /** A sentence that says how it may do less than the roots allow; undefined where it may do all. */
  readonly narrowing?: string | undefined;
}

/** An executable that runs right now. */
export interface RunningTool {
  readonly tool: string;
  readonly sandbox: string;
}

export interface RunLimits {
  readonly timeoutMs: number;
  /** In all, where progress extends the timeout. */
  readonly extendedMs: number;
  readonly maxOutputBytes: number;
  readonly atOnce: number;
}

export interface ToolCall {
  readonly args: Readonly<Record<string, unknown>>;
  /** Read when it is this call's turn, so that a call that waited does not run with outdated roots. */
  readonly roots: () => Promise<readonly Root[]>;
  /** The same with their rules, which a sandbox holds to; without it there are none. */
  readonly scope?: () => Promise<Scope>;
  /** Told in what sandbox it runs, or why it does not. */
  readonly onSandbox?: (sandbox: RunSandbox | Error) => void;
  readonly signal: AbortSignal;
  readonly onMessage?: (message: ToolNews) => void;
  /** Asks the user. Without it nobody can be asked. */
  readonly ask?: ((question: ToolQuestion) => Promise<UserAnswer>) | undefined;
  readonly client?: ClientAbilities | undefined;
  /** What the client sent along. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** What follows the file on the command line, and what its environment holds besides: of scripts that are no tools. */
  readonly argv?: readonly string[] | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Told how the run ended, before its output is read as an answer. */
  readonly onOutcome?: (outcome: RunOutcome) => void;
  /** In place of what the tool says. */
  readonly timeoutMs?: number;
}

/** What a user says to a question of a tool. */
export interface UserAnswer {
  readonly action: 'accept' | 'decline' | 'cancel' | 'error';
  readonly content: unknown;
}

const TAG_BYTES = 8;
const DECLINED: UserAnswer = { action: 'decline', content: null };

const defaultRunLimits: RunLimits = {
  timeoutMs: 30_000,
  extendedMs: 600_000,
  maxOutputBytes: 10 * 1024 * 1024,
  atOnce: 16,
};

/** Runs the executables of one tools project. */
export class ToolRunner implements Disposable {
  readonly project: string;
  readonly #options: ToolRunnerOptions;
  readonly #limits: RunLimits;
  readonly #slots: RunSlots;
  readonly #jsonTools: JsonTools;
  readonly #inherited: InheritedVariables;
  /** Of the last call: most calls see the same list, which may be long. */
  #described: DescribedRoots | undefined;
  readonly #sdk = sdkFolder();
  /** The last is the one in use; calls may still run in those before. */
  readonly #places: RunResources[] = [];
  /** Random, so that no tool prints it by chance. */
  readonly #tag = `${randomBytes(TAG_BYTES).toString('hex')}-`;
  readonly #running = new Set<RunningTool>();
  #calls = 0;

  constructor(options: ToolRunnerOptions) {
    this.project = options.project;
    this.#options = options;
    this.#limits = { ...defaultRunLimits, ...options.limits };
    this.#slots = new RunSlots(this.#limits.atOnce);
    this.#jsonTools = new JsonTools(options.environment);
    this.#inherited = inheritedVariables(options.environment, options.mode ?? MINIMAL);
  }

  /** Those that run right now. */
  get running(): readonly RunningTool[] {
    return [...this.#running];
  }

  /** How many run, and how many wait for their turn. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#slots.taken, waiting: this.#slots.waiting };
  }

  /** Waits for its turn, runs the tool, and reads what it left. Rejects when aborted before it started. */
  async run(tool: ExecutableTool, call: ToolCall): Promise<ToolAnswer> {
    let slot = await this.#slots.take(call.signal);
    const { ask } = call;
    const asking = async (question: ToolQuestion): Promise<UserAnswer> => {
      if (ask === undefined) return DECLINED;
      // Others need not wait for what a user says.
      slot[Symbol.dispose]();
      const answer = await ask(question);
      slot = await this.#slots.take(call.signal);
      return answer;
    };
    try {
      return await this.#runNow(tool, { ...call, ask: asking });
    } finally {
      slot[Symbol.dispose]();
    }
  }

  /** Runs a script of the project that is no tool, and returns what it left. Throws where it may not run. */
  async output(script: ExecutableTool, call: ToolCall): Promise<RunOutcome> {
    let left: RunOutcome | undefined;
    const answer = await this.run(script, { ...call, onOutcome: (outcome) => (left = outcome) });
    if (left !== undefined) return left;
    throw new Error(answer.kind === 'result' ? JSON.stringify(answer.result.content) : answer.message);
  }

  async #runNow(tool: ExecutableTool, call: ToolCall): Promise<ToolAnswer> {
    const roots = await call.roots();
    let sandbox: RunSandbox | undefined;
    try {
      sandbox = await this.#enterSandbox(tool, call, roots);
    } catch (error) {
      call.signal.throwIfAborted();
      return this.#refused(tool, call, error);
    }
    if (sandbox !== undefined) call.onSandbox?.(sandbox);
    const { description = 'off', narrowing } = sandbox ?? {};
    const running = {
      tool: tool.metadata.name,
      sandbox: narrowing === undefined ? description : `${description}; ${narrowing}`,
    };
    this.#running.add(running);
    try {
      const answer = await this.#runWith(tool, call, roots, { child: sandbox?.child, shown: description });
      return narrowing === undefined ? answer : withNote(answer, `[${narrowing}]`);
    } finally {
      this.#running.delete(running);
      void sandbox?.child.dispose();
    }
  }

  async #runWith(
    tool: ExecutableTool,
    call: ToolCall,
    roots: readonly Root[],
    { child: sandbox, shown }: { readonly child: SandboxChild | undefined; readonly shown: string },
  ): Promise<ToolAnswer> {
    const environment = await this.environment(tool, call, roots, sandbox?.temp);
    const { guard, pipes } = this.#prepare();
    const written = [...environment.files.keys()];
    const onStop = (): void => {
      written.push(environment.cancelFile);
      noteCancellation(environment.cancelFile);
    };
    try {
      await Promise.all([...environment.files].map(([file, text]) => writeFile(file, text, { mode: 0o600 })));
      call.signal.throwIfAborted();
      return await this.#runIn(tool, call, roots, environment, {
        guard,
        pipes,
        onStop,
        channelTag: environment.channelTag,
        sandbox,
        shown: { name: tool.metadata.name, sandbox: shown },
      });
    } finally {
      await removeAll(written);
    }
  }

  async #enterSandbox(
    { metadata, file }: ExecutableTool,
    { scope, signal }: ToolCall,
    roots: readonly Root[],
  ): Promise<RunSandbox | undefined> {
    const { sandbox } = this.#options;
    if (sandbox === undefined) return undefined;
    return sandbox({
      name: metadata.name,
      file,
      scope: scope === undefined ? new Scope({ roots }) : await scope(),
      wishes: metadata.sandbox,
      // Libraries of the SDK load the rest of the package they come with.
      read: [this.project, dirname(this.#sdk)],
      signal,
    });
  }

  /** A sandbox that cannot be provided keeps the tool from running. */
  #refused({ metadata: { name } }: ExecutableTool, call: ToolCall, error: unknown): ToolAnswer {
    const cause = error instanceof Error ? error : new Error(String(error));
    call.onSandbox?.(cause);
    const instruction = 'instruction' in cause ? cause.instruction : undefined;
    const text = typeof instruction === 'string' ? `${cause.message}. ${instruction}` : cause.message;
    return {
      kind: 'result',
      result: { content: [{ type: 'text', text: `Cannot run ${name}: ${text}` }], isError: true },
    };
  }

  /** Everything a tool would be started with. */
  async environment(
    tool: ExecutableTool,
    { args, client, meta }: Pick<ToolCall, 'args' | 'client' | 'meta'>,
    roots: readonly Root[],
    folder: string = this.#prepare().folder,
  ): Promise<ToolEnvironment> {
    const jsonTool = await this.#jsonTools.find(roots);
    this.#calls += 1;
    if (this.#described?.list !== roots) this.#described = describeRoots(roots, this.#inherited);
    return toolEnvironment(this.#inherited, {
      name: tool.metadata.name,
      file: tool.file,
      metadataJson: JSON.stringify(tool.metadata.written),
      argsJson: JSON.stringify(args),
      metaJson: meta === undefined ? undefined : JSON.stringify(meta),
      client,
      downloadHosts: this.#options.downloadHosts,
      roots: this.#described,
      project: this.project,
      sdk: this.#sdk,
      filePrefix: join(folder, `${this.#calls}-`),
      channelTag: `${this.#tag}${this.#calls}-`,
      jsonTool,
      node: process.execPath,
    });
  }

  dispose(): void {
    for (const place of this.#places.splice(0)) place.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  async #runIn(
    tool: ExecutableTool,
    call: ToolCall,
    roots: readonly Root[],
    environment: ToolEnvironment,
    how: Pick<RunProcessOptions, 'guard' | 'pipes' | 'onStop' | 'channelTag' | 'sandbox' | 'shown'>,
  ): Promise<ToolAnswer> {
    const { metadata } = tool;
    const { maxOutputBytes } = this.#limits;
    const asked = metadata.timeoutSecs === undefined ? undefined : metadata.timeoutSecs * 1000;
    const timeoutMs = call.timeoutMs ?? asked ?? this.#limits.timeoutMs;
    const extendedMs = metadata.progressExtendsTimeout
      ? this.#extendedMs(metadata.maxTimeoutSecs)
      : undefined;
    const ask = call.ask ?? (() => Promise.resolve(DECLINED));
    const cwd = metadata.cwd === 'root' ? (firstDirectory(roots) ?? this.project) : this.project;
    const outcome = await runProcess({
      file: tool.file,
      interpreter: tool.interpreter,
      args: call.argv,
      cwd,
      environment: { ...environment.variables, ...call.variables },
      signal: call.signal,
      timeoutMs,
      ...(extendedMs !== undefined && { extendedMs }),
      maxOutputBytes,
      ...how,
      children: this.#options.children,
      onLine: (line) => {
        const message = readChannelLine(line);
        if (message?.kind === 'question')
          return putAnswer(`${environment.answerFile}.${message.id}`, ask(message));
        if (message !== undefined) call.onMessage?.(message);
        return message?.kind === 'progress';
      },
    });
    call.onOutcome?.(outcome);
    return readAnswer({
      name: metadata.name,
      outcome,
      errorFile: await takeFile(environment.errorFile, maxOutputBytes),
      embedded: embeddedBlocks(await takeFile(environment.resourcesFile, maxOutputBytes), {
        cwd,
        read: how.sandbox === undefined ? (path) => readNamed(path, maxOutputBytes) : undefined,
      }),
      timeoutMs,
      extendedMs,
      timeoutHint: metadata.timeoutHint,
      maxOutputBytes,
    });
  }

  #extendedMs(maxTimeoutSecs: number | undefined): number {
    const { extendedMs } = this.#limits;
    return maxTimeoutSecs === undefined ? extendedMs : Math.min(maxTimeoutSecs * 1000, extendedMs);
  }

  /** Made with the first call, so that a server that runs no tool creates no files. */
  #prepare(): RunResources {
    const last = this.#places.at(-1);
    if (last?.isThere === true) return last;
    const place = new RunResources();
    this.#places.push(place);
    return place;
  }
}

function firstDirectory(roots: readonly Root[]): string | undefined {
  return roots.find(({ kind }) => kind === 'directory')?.path;
}
