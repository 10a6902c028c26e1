import { isObject } from '@rootward/core/platform';
import { BIND_CALLER, BINDING_CLIENTS, NOTED, type Callers } from '@rootward/mcp/host';
import { RawMessage, type Edit } from '../wire/raw-message.js';
import type { Outer } from './outer.js';

/** The tool through which hooks of some clients say where the caller of a call works. A tool of the server with its name wins. */
export class CallerTool {
  readonly #callers: Callers;
  #isTaken = false;

  private constructor(callers: Callers) {
    this.#callers = callers;
  }

  /** Undefined for clients whose hooks do not need it, and where nothing is kept between calls. */
  static wantedBy(client: string | undefined, callers: Callers | undefined): CallerTool | undefined {
    if (callers === undefined || client === undefined || !BINDING_CLIENTS.has(client)) return undefined;
    return new CallerTool(callers);
  }

  /** Adds the tool to the last page of a list of tools. */
  edits(answer: RawMessage): readonly Edit[] {
    const tools = answer.span('result', 'tools');
    const text = answer.raw('result', 'tools') ?? '';
    if (tools === undefined || !text.endsWith(']')) return [];
    const listed: unknown = JSON.parse(text);
    if (Array.isArray(listed) && listed.some((tool) => isObject(tool) && tool['name'] === BIND_CALLER.name))
      this.#isTaken = true;
    if (this.#isTaken || answer.span('result', 'nextCursor') !== undefined) return [];
    const at = tools.end - 1;
    const isEmpty = Array.isArray(listed) && listed.length === 0;
    return [{ start: at, end: at, text: `${isEmpty ? '' : ','}${JSON.stringify(BIND_CALLER)}` }];
  }

  /** Answers a call of the tool; false where the request is another one. */
  serve(call: RawMessage, outer: Outer): boolean {
    if (this.#isTaken || call.method !== 'tools/call') return false;
    if (call.value('params', 'name') !== BIND_CALLER.name) return false;
    const given: unknown = call.value('params', 'arguments');
    const { cwd, id, agent } = isObject(given) ? given : {};
    this.#callers.bindings.bind(id, cwd, agent);
    const callId = call.id ?? 'null';
    outer.send(RawMessage.from({ id: 0, result: NOTED }).withId(callId), callId);
    return true;
  }
}
