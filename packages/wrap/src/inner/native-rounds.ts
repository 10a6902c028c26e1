import { isObject } from '@rootward/core/platform';
import { asksBack, CAPABILITIES_KEY } from '../wire/envelope.js';
import type { Edit, RawMessage } from '../wire/raw-message.js';

/** A state that was given to the client while a part of the answers is ours to give. */
const MIXED = 'rootward-roots.';

/** What a result that asks something wants to know. */
export interface Wanted {
  /** Keys under which it asks for roots, which are ours to answer. */
  readonly roots: readonly string[];
  /** Whether the client has something to answer, too. */
  readonly isMixed: boolean;
}

/** Undefined where the client may see the answer as it is. */
export function rootsWantedBy(answer: RawMessage): Wanted | undefined {
  if (!asksBack(answer)) return undefined;
  const requests: unknown = answer.value('result', 'inputRequests');
  const entries = isObject(requests) ? Object.entries(requests) : [];
  const roots = entries.flatMap(([key, request]) =>
    isObject(request) && request['method'] === 'roots/list' ? [key] : [],
  );
  return roots.length === 0 ? undefined : { roots, isMixed: roots.length < entries.length };
}

/** The call again, with the roots that the server wanted. */
export function withRoots(
  call: RawMessage,
  answer: RawMessage,
  keys: readonly string[],
  roots: string,
): readonly Edit[] {
  const responses = keys.map((key) => `${JSON.stringify(key)}:${roots}`);
  return [
    ...call.set(['params', 'inputResponses'], `{${responses.join(',')}}`),
    ...setState(call, answer.raw('result', 'requestState')),
  ];
}

/**
 * Lets the client answer what only the client can answer; which answers are ours, the state says. It is not signed: what
 * it holds is the state of the server, which checks it, and names. A client that has roots is asked as the server asks,
 * since it has to come back anyway; what it says of them is not passed on.
 */
export function mixedRound(
  answer: RawMessage,
  keys: readonly string[],
  clientHasRoots: boolean,
): readonly Edit[] {
  const state: unknown = answer.value('result', 'requestState');
  const ours = MIXED + Buffer.from(JSON.stringify({ keys, state })).toString('base64url');
  return [
    ...(clientHasRoots ? [] : withoutRoots(answer, keys)),
    ...answer.set(['result', 'requestState'], JSON.stringify(ours)),
  ];
}

function withoutRoots(answer: RawMessage, keys: readonly string[]): readonly Edit[] {
  const requests: unknown = answer.value('result', 'inputRequests');
  const kept = Object.keys(Object(requests)).filter((key) => !keys.includes(key));
  const members = kept.map(
    (key) => `${JSON.stringify(key)}:${answer.raw('result', 'inputRequests', key) ?? 'null'}`,
  );
  return answer.set(['result', 'inputRequests'], `{${members.join(',')}}`);
}

/** What a server of the modern era is sent of a request of that era: it sees a client that has roots. */
export function nativeEdits(request: RawMessage, roots: () => string): readonly Edit[] {
  const capability = request.set(['params', '_meta', CAPABILITIES_KEY, 'roots'], '{}');
  const state: unknown = request.value('params', 'requestState');
  const mixed = typeof state === 'string' && state.startsWith(MIXED) ? readMixed(state) : undefined;
  if (mixed === undefined) return capability;
  const given = roots();
  const known: unknown = request.value('params', 'inputResponses');
  const responses = [
    ...Object.keys(Object(known))
      .filter((key) => !mixed.keys.includes(key))
      .map((key) => [key, request.raw('params', 'inputResponses', key) ?? 'null']),
    ...mixed.keys.map((key) => [key, given]),
  ].map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  return [
    ...capability,
    ...request.set(['params', 'inputResponses'], `{${responses.join(',')}}`),
    ...setState(request, mixed.state === undefined ? undefined : JSON.stringify(mixed.state)),
  ];
}

function setState(request: RawMessage, state: string | undefined): readonly Edit[] {
  return state === undefined
    ? request.remove(['params'], ['requestState'])
    : request.set(['params', 'requestState'], state);
}

/** Undefined where it was altered on its way; the server then sees a state that it does not know. */
function readMixed(state: string): { readonly keys: readonly string[]; readonly state: unknown } | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(state.slice(MIXED.length), 'base64url').toString('utf8'));
    const keys: unknown = isObject(read) ? read['keys'] : undefined;
    if (!isObject(read) || !Array.isArray(keys)) return undefined;
    return { keys: keys.map(String), state: read['state'] };
  } catch {
    return undefined;
  }
}
