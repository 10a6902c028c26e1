import type { Instance } from '../inner/instance.js';
import type { Edit, RawMessage } from '../wire/raw-message.js';
import type { CallWatch } from './call-watch.js';
import type { CallerTool } from './caller-tool.js';
import { Listings } from './listings.js';
import type { ToolFilter } from './tool-filter.js';

/** Clients by this name say where a call works, if a server advertises that it listens. */
const CODEX = /codex/i;
const SANDBOX_CAPABILITY = 'codex/sandbox-state-meta';

/** What the client gets to see of the answers of the server, and what is kept of them. */
export class ClientAnswers {
  readonly #filter: ToolFilter;
  readonly #watch: CallWatch;
  readonly #listings = new Listings();
  callerTool: CallerTool | undefined;
  /** Why the server was started again, until the client is told. */
  crash: string | undefined;

  constructor(filter: ToolFilter, watch: CallWatch) {
    this.#filter = filter;
    this.#watch = watch;
  }

  /** The answer to a request that the client knows by `id`; `changeId` where the call has changed something. */
  shown(
    request: RawMessage,
    id: string,
    answer: RawMessage,
    changeId: string | undefined,
  ): readonly Buffer[] {
    const { method = '' } = request;
    const isList = method.endsWith('/list');
    if (!isList && changeId === undefined && this.crash === undefined) return answer.withId(id);
    const edits: Edit[] = [...answer.set(['id'], id), ...changeEdits(answer, changeId)];
    if (isList) {
      this.#listings.note(method, request.span('params', 'cursor') !== undefined, answer);
      if (method === 'tools/list') {
        this.#watch.listed(answer);
        edits.push(...this.#filter.edits(answer, this.callerTool?.edits(answer)));
      }
    }
    if (method === 'tools/call' && this.crash !== undefined) {
      const note = crashNote(answer, this.crash);
      if (note.length > 0) this.crash = undefined;
      edits.push(...note);
    }
    return answer.edited(edits);
  }

  /** The answer to `initialize`, for a client with this name. */
  introduction(answer: RawMessage, id: string, client: string | undefined): readonly Buffer[] {
    return answer.edited([...answer.set(['id'], id), ...sandboxEdits(answer, client)]);
  }

  /** Another server is in place: tells the client of the lists that differ from what it has read. */
  announce(instance: Instance, tell: (notification: RawMessage) => void): void {
    void this.#listings.announce((method, params) => instance.ask(method, params), tell);
  }
}

/** Tells the caller that the state of the server is lost. Empty if the answer has no place for it. */
function crashNote(answer: RawMessage, reason: string): readonly Edit[] {
  const content = answer.span('result', 'content');
  if (content === undefined || answer.bytes[content.end - 1] !== ']'.charCodeAt(0)) return [];
  const text = JSON.stringify({
    type: 'text',
    text: `Note: ${reason}, and was started again before this call`,
  });
  const isEmpty = answer.bytes.toString('latin1', content.start + 1, content.end - 1).trim() === '';
  return [{ start: content.end - 1, end: content.end - 1, text: isEmpty ? text : `,${text}` }];
}

/** Under which id what the call changed was noted. */
function changeEdits(answer: RawMessage, changeId: string | undefined): readonly Edit[] {
  if (changeId === undefined) return [];
  return setDeep(answer, ['result', '_meta'], 'rootward/changeId', JSON.stringify(changeId));
}

/** The capability that makes Codex send its directory. */
function sandboxEdits(answer: RawMessage, client: string | undefined): readonly Edit[] {
  if (!CODEX.test(client ?? '')) return [];
  return setDeep(answer, ['result', 'capabilities', 'experimental'], SANDBOX_CAPABILITY, '{}');
}

/** Sets a member of an object, which is made where there is none. */
function setDeep(
  answer: RawMessage,
  path: readonly [string, ...string[]],
  name: string,
  text: string,
): readonly Edit[] {
  return answer.span(...path) === undefined
    ? answer.set(path, `{${JSON.stringify(name)}:${text}}`)
    : answer.set([...path, name], text);
}
