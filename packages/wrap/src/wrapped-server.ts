import { projectOf, type OperatorLimits, type Root } from '@rootward/core';
import { Emitter, isObject, within } from '@rootward/core/platform';
import type { ChildRegistry } from '@rootward/mcp/host';
import { RootwardWrapError } from './error.js';
import type { ChangePolicy } from './inner/change-policy.js';
import { InnerEra } from './inner/era-bridge.js';
import type { Instance } from './inner/instance.js';
import { Keeper, type KeeperOptions } from './inner/keeper.js';
import { fillIn, type CommandTemplate, type Launch } from './inner/launch.js';
import { isLimited, isSameRoots, refuseLimited, SideServers } from './session/side-servers.js';
import type { ToolFilter } from './session/tool-filter.js';
import { RawMessage } from './wire/raw-message.js';

/** A tool as its server describes it. */
export interface WrappedTool {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** What a `WrappedServer` is made of. */
export interface WrappedServerOptions {
  readonly template: CommandTemplate;
  readonly policy: ChangePolicy;
  readonly filter: ToolFilter;
  readonly children: ChildRegistry;
  readonly noise: (bytes: Buffer) => void;
  /** An empty folder to start in while the roots are not known. */
  readonly emptyFolder: () => string;
  readonly contain?: KeeperOptions['contain'] | undefined;
  readonly shown?: KeeperOptions['shown'];
  /** How many servers there may be for other roots and principals. */
  readonly maxServers?: number | undefined;
  /** What the operator takes away while it runs. */
  readonly limits?: OperatorLimits | undefined;
}

/** How one call of a tool is made. */
export interface WrappedCall {
  /** The roots it works in; at least one. */
  readonly roots: readonly Root[];
  /** For whom it is made, where there are several: what a server remembers of one is not shown to another. */
  readonly principal?: string;
  readonly signal: AbortSignal;
}

const MAX_PAGES = 50;
const ANSWER_MS = 60_000;
const METHOD_NOT_FOUND = -32_601;

/** A server whose tools another server offers as its own. Its questions to the client are refused. */
export class WrappedServer {
  readonly #options: WrappedServerOptions;
  readonly #main: Keeper;
  readonly #sides: SideServers;
  readonly #changed = new Emitter<readonly WrappedTool[]>();
  readonly #era = new InnerEra('legacy');
  readonly #limited: Disposable | undefined;
  #roots: readonly Root[] | undefined;
  #tools: readonly WrappedTool[] = [];

  constructor(options: WrappedServerOptions) {
    this.#options = options;
    this.#main = this.#keeper(true);
    this.#sides = new SideServers(() => this.#keeper(false), options.maxServers);
    const { limits } = options;
    this.#sides.obey(limits);
    this.#limited = limits?.onDidChange(() => this.#endLimited(limits));
  }

  /** What it offers, as far as is known. */
  get tools(): readonly WrappedTool[] {
    return this.#tools;
  }

  /** Told when it offers something else. */
  onDidChangeTools(listener: (tools: readonly WrappedTool[]) => void): Disposable {
    return this.#changed.add(listener);
  }

  /** Starts it, and learns what it offers. Rejects where it does not start. */
  async open(): Promise<void> {
    await this.#list(await this.#main.acquire());
  }

  /** Calls a tool by its own name, in the server for these roots and this principal. Resolves with the result as it came. */
  async call(name: string, args: unknown, { roots, principal = '', signal }: WrappedCall): Promise<unknown> {
    if (!this.#options.filter.allows(name)) {
      throw new RootwardWrapError(
        'refused',
        `Cannot call ${JSON.stringify(name)}: the operator has hidden this tool`,
      );
    }
    let instance = await this.#instanceFor(roots, principal);
    // Nothing may come between this and the request.
    while (!isFor(instance, roots)) instance = await this.#instanceFor(roots, principal);
    signal.throwIfAborted();
    const message = RawMessage.from({ id: 0, method: 'tools/call', params: { name, arguments: args } });
    const answer = await new Promise<RawMessage>((resolve, reject) => {
      const id = instance.request(message, { method: 'tools/call', answered: resolve, failed: reject });
      signal.addEventListener('abort', () => {
        instance.forget(id);
        const params = { requestId: Number(id), reason: 'the call was cancelled' };
        instance.send([RawMessage.from({ method: 'notifications/cancelled', params }).bytes]);
        reject(new RootwardWrapError('closed', 'Cannot finish the call: it was cancelled'));
      });
    });
    if (!answer.isError) return answer.value('result');
    throw new RootwardWrapError('refused', String(answer.value('error', 'message')));
  }

  close(): void {
    this.#main.close('the connection is closed');
    this.#sides.close('the connection is closed');
    this.#limited?.[Symbol.dispose]();
  }

  /** A call that comes later is refused or brings the roots that are left. */
  #endLimited(limits: OperatorLimits): void {
    if (this.#roots === undefined || !isLimited(this.#roots, limits)) return;
    this.#roots = limits.apply(this.#roots);
    this.#main.change(this.#roots, true);
  }

  async #instanceFor(roots: readonly Root[], principal: string): Promise<Instance> {
    for (;;) {
      refuseLimited(roots, this.#options.limits);
      const instance = await this.#keeperFor(roots, principal).acquire();
      // Between that and here, it may have been given to a call in other folders, or those of somebody else.
      if (isFor(instance, roots)) return instance;
    }
  }

  /** One that is busy in other folders is left alone, and one of somebody else always. */
  #keeperFor(roots: readonly Root[], principal: string): Keeper {
    if (principal !== '') {
      this.#listIn(roots);
      return this.#sides.for(roots, principal);
    }
    const known = this.#roots;
    if (known !== undefined && isSameRoots(known, roots)) return this.#main;
    if (known !== undefined && this.#main.busy) return this.#sides.for(roots);
    this.#roots = roots;
    this.#main.change(roots, known !== undefined);
    return this.#main;
  }

  /** What it offers may depend on its folder, and is looked up once where calls are made: not in a server of somebody. */
  #listIn(roots: readonly Root[]): void {
    if (this.#roots !== undefined) return;
    this.#roots = roots;
    this.#main.change(roots, false);
    this.#main
      .acquire()
      .then(
        (instance) => this.#list(instance),
        () => undefined,
      )
      .catch(() => undefined);
  }

  /** `lists`: whether what its server offers is what all are offered. */
  #keeper(lists: boolean): Keeper {
    const relist = (instance: Instance): void => {
      if (lists) void this.#list(instance).catch(() => undefined);
    };
    const { policy, children, contain, noise, shown } = this.#options;
    return new Keeper({
      policy,
      children,
      era: this.#era,
      contain,
      shown,
      launch: (roots) => this.#launch(roots ?? []),
      introduce: (instance) => this.#introduce(instance),
      replaced: relist,
      crashed: () => undefined,
      events: {
        request: (message, instance) => {
          const error = { code: METHOD_NOT_FOUND, message: 'This client cannot be asked' };
          instance.send(RawMessage.from({ id: 0, error }).withId(message.id ?? 'null'));
        },
        notification: ({ method }, instance) => {
          if (method === 'notifications/tools/list_changed') relist(instance);
        },
        left: () => undefined,
        noise,
      },
    });
  }

  #launch(roots: readonly Root[]): Launch {
    const { template, emptyFolder } = this.#options;
    const folder = roots.find(({ kind }) => kind === 'directory');
    const directory = folder?.path ?? emptyFolder();
    const paths = roots.length === 0 ? [directory] : roots.map(({ path }) => path);
    return fillIn(template, {
      directory,
      roots: paths,
      project: folder === undefined ? 'none' : projectOf(folder).name,
    });
  }

  async #introduce(instance: Instance): Promise<void> {
    const asking = instance.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: 'rootward', version: '1.0.0' },
    });
    if (!(await within(asking, { milliseconds: ANSWER_MS }))) {
      throw new RootwardWrapError(
        'no-answer',
        `it did not answer "initialize" within ${String(ANSWER_MS / 1000)} s`,
      );
    }
    const answer = await asking;
    if (answer.isError) {
      throw new RootwardWrapError(
        'refused',
        `it refused to be introduced: ${String(answer.value('error', 'message'))}`,
      );
    }
    instance.initialized(RawMessage.from({ method: 'notifications/initialized' }));
  }

  async #list(instance: Instance): Promise<void> {
    const tools: WrappedTool[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await instance.ask('tools/list', cursor === undefined ? undefined : { cursor });
      const listed: unknown = answer.value('result', 'tools');
      if (Array.isArray(listed)) tools.push(...listed.filter(isTool));
      cursor = answer.value('result', 'nextCursor');
      if (cursor === undefined) break;
    }
    const shown = tools.filter(({ name }) => this.#options.filter.allows(name));
    if (JSON.stringify(shown) === JSON.stringify(this.#tools)) return;
    this.#tools = shown;
    this.#changed.fire(shown);
  }
}

/** Whether a call in these roots may be made in it now. */
function isFor(instance: Instance, roots: readonly Root[]): boolean {
  return instance.usable && isSameRoots(instance.roots, roots);
}

function isTool(value: unknown): value is WrappedTool {
  return isObject(value) && typeof value['name'] === 'string';
}
