import type { ActivityEvent } from '../src/audit/event-hub.js';
import type { ProcessState } from '../src/watch/protocol.js';

/** An event of any process, numbered by the server of the page. */
export interface PageEvent {
  readonly number: number;
  readonly pid: number;
  readonly event: ActivityEvent;
}

export type Status = 'connecting' | 'connected' | 'lost' | 'refused';

/** What the page knows, whole at any time. */
export interface PageState {
  readonly status: Status;
  readonly processes: readonly ProcessState[];
  /** Oldest first. */
  readonly events: readonly PageEvent[];
}

/** As many as the server keeps. */
const MAX_EVENTS = 10_000;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5000;

/** Follows the server of the page, and goes on where it stopped when the connection breaks. */
export class Connection {
  readonly #token: string;
  readonly #changed: (state: PageState) => void;
  #state: PageState = { status: 'connecting', processes: [], events: [] };
  /** The id of the last events, as the server gave it. */
  #last = '';
  #run = '';
  #retry = FIRST_RETRY_MS;

  constructor(token: string, changed: (state: PageState) => void) {
    this.#token = token;
    this.#changed = changed;
  }

  async follow(): Promise<void> {
    for (;;) {
      const refused = await this.#read().catch(() => false);
      if (refused) {
        this.#update({ status: 'refused', processes: [] });
        return;
      }
      this.#update({ status: 'lost', processes: [] });
      await new Promise((resolve) => {
        setTimeout(resolve, this.#retry);
      });
      this.#retry = Math.min(this.#retry * 2, MAX_RETRY_MS);
    }
  }

  /** Asks a process to do something. Rejects with what the server says where it cannot. */
  async act(pid: number, method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const response = await fetch('/act', {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ pid, method, params }),
    });
    const answer = (await response.json()) as { readonly result?: unknown; readonly error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  }

  /** True where the server does not know the token, so that trying again is of no use. */
  async #read(): Promise<boolean> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (this.#last !== '') headers['last-event-id'] = this.#last;
    const response = await fetch('/stream', { headers });
    if (response.status === 401) return true;
    if (!response.ok || response.body === null) return false;
    this.#retry = FIRST_RETRY_MS;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      const messages = (rest + value).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) this.#receive(message);
    }
  }

  #receive(message: string): void {
    const fields = new Map(
      message.split('\n').map((line): [string, string] => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)];
      }),
    );
    const data: unknown = JSON.parse(fields.get('data') ?? 'null');
    switch (fields.get('event') ?? '') {
      case 'run': {
        const { run } = data as { readonly run: string };
        // Another server of the page counts from the start.
        if (run !== this.#run) this.#update({ events: [] });
        this.#run = run;
        break;
      }
      case 'processes':
        this.#update({ status: 'connected', processes: data as readonly ProcessState[] });
        break;
      case 'events':
        this.#last = fields.get('id') ?? this.#last;
        this.#update({
          events: [...this.#state.events, ...(data as readonly PageEvent[])].slice(-MAX_EVENTS),
        });
        break;
      default:
        break;
    }
  }

  #update(part: Partial<PageState>): void {
    this.#state = { ...this.#state, ...part };
    this.#changed(this.#state);
  }
}
