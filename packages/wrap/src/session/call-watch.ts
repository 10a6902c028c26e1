import type { Root } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { newSession } from '@rootward/mcp/host';
import type { RawMessage } from '../wire/raw-message.js';

/** A call of a tool that is about to be passed on. */
export interface WatchedCall {
  readonly tool: string;
  readonly roots: readonly Root[];
  /** Tells the clients of one process apart. */
  readonly session: string;
  readonly client: string | undefined;
  /** Over HTTP, who calls. */
  readonly principal: string | undefined;
}

/** Looks at the roots again when the call is over, and says under which id it noted what differs. Does not reject. */
export type EndWatch = () => Promise<string | undefined>;

/** Looks at the roots before a call. Where it rejects, the call is refused. */
export type WatchCall = (call: WatchedCall) => Promise<EndWatch>;

/** Has the calls of one client watched, apart from those of tools that say they only read. */
export class CallWatch {
  readonly #watch: WatchCall | undefined;
  readonly #principal: string | undefined;
  readonly #session = newSession();
  readonly #reading = new Set<unknown>();
  client: string | undefined;

  constructor({
    watch,
    principal,
  }: {
    readonly watch?: WatchCall | undefined;
    readonly principal?: string | undefined;
  }) {
    this.#watch = watch;
    this.#principal = principal;
  }

  /** The server has listed tools. */
  listed(answer: RawMessage): void {
    if (this.#watch === undefined) return;
    const tools: unknown = answer.value('result', 'tools');
    for (const tool of Array.isArray(tools) ? tools.filter(isObject) : []) {
      const { name, annotations } = tool;
      if (isObject(annotations) && annotations['readOnlyHint'] === true) this.#reading.add(name);
      else this.#reading.delete(name);
    }
  }

  /** Whether the roots are looked at around this call. */
  watches(call: RawMessage): boolean {
    return this.#watchedTool(call) !== undefined;
  }

  /** Undefined where this call is not watched. */
  async begin(call: RawMessage, roots: readonly Root[]): Promise<EndWatch | undefined> {
    const name = this.#watchedTool(call);
    if (this.#watch === undefined || name === undefined) return undefined;
    const { client } = this;
    const principal = this.#principal;
    const end = await this.#watch({ tool: name, roots, session: this.#session, client, principal });
    let ending: Promise<string | undefined> | undefined;
    return () => (ending ??= end());
  }

  #watchedTool(call: RawMessage): string | undefined {
    if (this.#watch === undefined || call.method !== 'tools/call') return undefined;
    const name: unknown = call.value('params', 'name');
    return typeof name === 'string' && !this.#reading.has(name) ? name : undefined;
  }
}
