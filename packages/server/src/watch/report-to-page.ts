import type { Socket } from 'node:net';
import { RootwardError } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import type { ActivityEvent } from '../audit/event-hub.js';
import { JsonLines } from './json-lines.js';
import type { LiveProcess, LiveSession } from './live-process.js';
import type { FromProcess } from './protocol.js';
import { showState } from './show-state.js';

/** What a page that comes, or comes back, still gets of what happened before. */
const MAX_EVENTS = 10_000;
/** Memory of children changes by itself. */
const REFRESH_MS = 2000;
/** Looking at the memory of children reads the table of processes. */
const STATE_MS = 50;
/** Between two states at least so many times as long as one took is left for what the process is for. */
const REST_FACTOR = 20;
/** Events wait this long: the answer of the call is sent first, and further decisions of the call join them. */
const SOON_MS = 5;
/** A server that answers thousands of calls sends its events in a few messages: each wakes the process of the page. */
const GATHER_MS = 100;

/** Serves the pages that connect to one process. Made when the first one comes, and kept for those that come back. */
export class PageReporter {
  readonly #live: LiveProcess;
  readonly #events: ActivityEvent[] = [];
  readonly #pages = new Set<JsonLines>();
  /** How many of the last events wait to be sent. */
  #unsent = 0;
  #lastSent = 0;
  #pending = false;
  /** How long it took to make the last state and send it. */
  #stateTook = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(live: LiveProcess) {
    this.#live = live;
    live.events.add((event) => this.#record(event));
    const changed = (): void => this.#refresh();
    live.sessions.onDidChange(changed);
    live.limits.onDidChange(changed);
    live.questions.onDidChange(changed);
    for (const children of live.children) children.onDidChange(changed);
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
    send(page, { type: 'state', state: showState(this.#live) });
    // What is about to be sent goes to all pages, this one among them.
    const sent = this.#events.slice(0, this.#events.length - this.#unsent);
    send(page, { type: 'events', events: sent.slice(-MAX_EVENTS) });
  }

  #record(event: ActivityEvent): void {
    this.#events.push(event);
    // Seldom, since what is left has to be moved.
    if (this.#events.length > 2 * MAX_EVENTS) this.#events.splice(0, this.#events.length - MAX_EVENTS);
    if (this.#pages.size === 0) return;
    if (this.#unsent === 0) this.#flushSoon();
    this.#unsent = Math.min(this.#unsent + 1, this.#events.length);
  }

  /** At once after a pause, and then in one message for all that happens meanwhile. */
  #flushSoon(): void {
    const wait = Math.max(SOON_MS, this.#lastSent + GATHER_MS - performance.now());
    setTimeout(() => this.#flush(), wait).unref();
  }

  #flush(): void {
    const events = this.#events.slice(-this.#unsent);
    this.#unsent = 0;
    this.#lastSent = performance.now();
    for (const page of this.#pages) send(page, { type: 'events', events });
  }

  /** Several changes at once make one message. */
  #refresh(): void {
    if (this.#pending || this.#pages.size === 0) return;
    this.#pending = true;
    const tell = (): void => {
      this.#pending = false;
      const begun = performance.now();
      try {
        const state = showState(this.#live);
        for (const page of this.#pages) send(page, { type: 'state', state });
      } catch {
        // Pages that cannot be served must not end what they show.
        for (const page of this.#pages) page.end();
      }
      this.#stateTook = performance.now() - begun;
    };
    setTimeout(tell, Math.max(STATE_MS, Math.min(REST_FACTOR * this.#stateTook, REFRESH_MS))).unref();
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
        this.#live.checkLimit?.(text('path'), limit);
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
        for (const children of this.#live.children) if (await children.endOne(pid)) return true;
        return false;
      }
      case 'restart':
        return this.#restart(Number(params['pid']));
      case 'answer': {
        const accepted = params['accepted'] === true;
        const question = this.#live.questions.list().find(({ id }) => id === params['question']);
        if (question === undefined) return false;
        const stands = params['stands'] === true;
        this.#note(accepted ? (stands ? 'standing-consent' : 'consent') : 'decline', question.message);
        return this.#live.questions.answer(question.id, accepted, stands);
      }
      case 'withdraw':
        return this.#withdraw(text('consent'), text('path'));
      case 'changes':
      case 'difference':
      case 'undo':
        return await this.#lookBack(method, text('session'), params['change']);
      default:
        throw new TypeError(`Cannot do ${JSON.stringify(method)}: it is not known`);
    }
  }

  /** Answered at once: a start may take longer than a page waits, and shows itself. */
  #restart(pid: number): boolean {
    const running = this.#live.children.flatMap((children) => children.list());
    const restart = running.find((child) => child.pid === pid)?.about?.restart;
    if (restart === undefined)
      throw new Error('Cannot restart the child: it has ended, or is started by a call');
    this.#note('restart-child', String(pid));
    restart().then(
      () => this.#refresh(),
      () => this.#refresh(),
    );
    return true;
  }

  /** Another process may have forgotten it already: what it opened here is closed all the same. */
  #withdraw(consent: string, path: string): boolean {
    const forgotten = this.#live.questions.withdraw(consent);
    const isOpen = this.#live.sessions.list().some((session) => isOpenedBy(session, path));
    if (forgotten || isOpen) this.#note('withdraw-consent', path);
    if (isOpen) this.#live.limits.set(path, 'revoked');
    return forgotten || isOpen;
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

/** Whether a yes may have opened a path for a session; handles of clients without connections cannot be looked into. */
function isOpenedBy({ era, view }: LiveSession, path: string): boolean {
  const root = view.snapshot().roots.find((each) => each.path === path);
  return root === undefined ? era === 'modern' : root.source === 'consent' || root.source === 'handle';
}

function send(page: JsonLines, message: FromProcess): void {
  page.send(message);
}
