import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { RootwardError } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import type { ActivityEvent } from '../audit/event-hub.js';
import { VERSION } from '../version.js';
import { JsonLines } from './json-lines.js';
import type { LiveProcess, LiveSession } from './live-process.js';
import type { FromProcess, NumberedEvent, ProcessState, ShownChild, ShownSession } from './protocol.js';
import { PROTOCOL } from './protocol.js';

/** What a page that comes, or comes back, still gets of what happened before. */
const MAX_EVENTS = 10_000;
const MAX_ROOTS = 200;
const MAX_REJECTED = 50;
/** Memory of children changes by itself. */
const REFRESH_MS = 2000;
const PAGE_KB = 4;
const MAX_COMMAND_LENGTH = 500;

/** Serves the pages that connect to one process. Made when the first one comes, and kept for those that come back. */
export class PageReporter {
  readonly #live: LiveProcess;
  readonly #events: NumberedEvent[] = [];
  #lastNumber = 0;
  readonly #pages = new Set<JsonLines>();
  readonly #unsent: NumberedEvent[] = [];
  #pending = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(live: LiveProcess) {
    this.#live = live;
    live.events.add((event) => this.#record(event));
    const changed = (): void => this.#refresh();
    live.sessions.onDidChange(changed);
    live.limits.onDidChange(changed);
    live.questions.onDidChange(changed);
  }

  connect(socket: Socket): void {
    const page = new JsonLines(socket, (message) => void this.#answer(page, message));
    this.#pages.add(page);
    const counted = this.#live.questions.pageConnected();
    this.#timer ??= setInterval(() => this.#refresh(), REFRESH_MS).unref();
    socket.unref();
    socket.once('close', () => {
      this.#pages.delete(page);
      counted[Symbol.dispose]();
      if (this.#pages.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    send(page, { type: 'state', state: this.#state() });
    // What is about to be sent goes to all pages, this one among them.
    const about = new Set(this.#unsent);
    send(page, { type: 'events', events: this.#events.filter((event) => !about.has(event)) });
  }

  #record(event: ActivityEvent): void {
    const numbered = { number: ++this.#lastNumber, event };
    this.#events.push(numbered);
    if (this.#events.length > MAX_EVENTS) this.#events.splice(0, this.#events.length - MAX_EVENTS);
    if (this.#pages.size === 0) return;
    // A call may decide about hundreds of paths: they go out as one message.
    if (this.#unsent.length === 0) setImmediate(() => this.#flush());
    this.#unsent.push(numbered);
  }

  #flush(): void {
    const events = this.#unsent.splice(0);
    for (const page of this.#pages) send(page, { type: 'events', events });
  }

  /** Several changes at once make one message. */
  #refresh(): void {
    if (this.#pending || this.#pages.size === 0) return;
    this.#pending = true;
    setImmediate(() => {
      this.#pending = false;
      const state = this.#state();
      for (const page of this.#pages) send(page, { type: 'state', state });
    });
  }

  #state(): ProcessState {
    const { transport, directory, started, sessions, limits, children, questions } = this.#live;
    return {
      protocol: PROTOCOL,
      pid: process.pid,
      version: VERSION,
      started,
      transport,
      directory,
      sessions: sessions.list().map(showSession),
      limits: limits.list(),
      children: children.list().map(showChild),
      questions: questions.list(),
    };
  }

  async #answer(page: JsonLines, message: unknown): Promise<void> {
    if (!isObject(message) || typeof message['id'] !== 'number') return;
    const { id } = message;
    const params = isObject(message['params']) ? message['params'] : {};
    try {
      const result = await this.#act(String(message['method']), params);
      send(page, { type: 'answer', id, result });
    } catch (error) {
      send(page, { type: 'answer', id, error: error instanceof Error ? error.message : String(error) });
    }
    this.#refresh();
  }

  async #act(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const text = (name: string): string => {
      const value = params[name];
      if (typeof value !== 'string') throw new TypeError(`Cannot ${method}: ${name} is not a string`);
      return value;
    };
    switch (method) {
      case 'ask':
        return this.#ask(text('session'), text('path'));
      case 'limit': {
        const limit = text('limit');
        if (limit !== 'revoked' && limit !== 'read-only')
          throw new TypeError(`Cannot set the limit ${limit}`);
        this.#note(limit === 'revoked' ? 'revoke' : 'make-read-only', text('path'));
        this.#live.limits.set(text('path'), limit);
        return true;
      }
      case 'lift':
        this.#note('lift', text('path'));
        return this.#live.limits.lift(text('path'));
      case 'end': {
        const pid = Number(params['pid']);
        this.#note('end-child', String(pid));
        return await this.#live.children.endOne(pid);
      }
      case 'answer': {
        const accepted = params['accepted'] === true;
        const question = this.#live.questions.list().find(({ id }) => id === params['question']);
        if (question === undefined) return false;
        this.#note(accepted ? 'consent' : 'decline', question.message);
        return this.#live.questions.answer(question.id, accepted);
      }
      case 'changes':
      case 'difference':
      case 'undo':
        return await this.#lookBack(method, text('session'), params['change']);
      default:
        throw new TypeError(`Cannot do ${JSON.stringify(method)}: it is not known`);
    }
  }

  async #lookBack(method: string, id: string, change: unknown): Promise<unknown> {
    const { history } = this.#live;
    if (history === undefined) throw new Error('Cannot look back: no history is kept');
    const scope = this.#session(id).view.scope();
    const { listChanges, showDifference, undoChange } = await import('./history-actions.js');
    if (method === 'changes') return listChanges(await history(), scope);
    if (method === 'difference') return showDifference(await history(), scope, String(change));
    this.#note('undo', String(change));
    return undoChange(await history(), scope, String(change));
  }

  #session(id: string): LiveSession {
    const session = this.#live.sessions.list().find((each) => each.id === id);
    if (session === undefined) throw new Error('Cannot look the path up: this session has ended');
    return session;
  }

  /** The operator's actions are events like those of tools, so that every outlet has them. */
  #note(tool: string, path: string): void {
    this.#live.events.record({ session: 'operator', tool, path, decision: 'allowed' });
  }

  #ask(id: string, path: string): unknown {
    const session = this.#session(id);
    try {
      const { path: found, root, exists, writable } = session.view.scope().locate(path);
      return { inScope: true, path: found, root: root.path, source: root.source, exists, writable };
    } catch (error) {
      if (!(error instanceof RootwardError)) throw error;
      return { inScope: false, code: error.code, message: error.message, instruction: error.instruction };
    }
  }
}

function send(page: JsonLines, message: FromProcess): void {
  page.send(message);
}

function showSession({ id, era, since, view, client }: LiveSession): ShownSession {
  const { roots, trace, rejected, client: clientState } = view.snapshot();
  return {
    id,
    era,
    since,
    client: client(),
    clientState,
    roots: view
      .scope()
      .roots.slice(0, MAX_ROOTS)
      .map(({ path, name, access, source, broad }) => ({ path, name, access, source, broad })),
    rootCount: roots.length,
    trace: trace.map(({ source, verdict, detail }) => ({ source, verdict, detail })),
    rejected: rejected
      .slice(0, MAX_REJECTED)
      .map(({ declared, source, reason }) => ({ declared, source, reason })),
    project: projectOf(view),
  };
}

function projectOf(view: LiveSession['view']): string | undefined {
  try {
    return view.project().name;
  } catch {
    return undefined;
  }
}

function showChild({ pid, command }: { readonly pid: number; readonly command: string }): ShownChild {
  return { pid, command: command.slice(0, MAX_COMMAND_LENGTH), memoryKb: memoryOf(pid) };
}

/** Undefined where the system does not say. */
function memoryOf(pid: number): number | undefined {
  try {
    const resident = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return Number.isFinite(resident) ? resident * PAGE_KB : undefined;
  } catch {
    return undefined;
  }
}
