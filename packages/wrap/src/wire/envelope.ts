import { isObject } from '@rootward/core/platform';
import type { Edit, RawMessage } from './raw-message.js';

export const MODERN_REVISION = '2026-07-28';
/** What servers of the legacy era are spoken to in. */
export const LEGACY_REVISION = '2025-11-25';
/** All there are. There will be no other one that has sessions. */
export const REVISIONS: ReadonlySet<string> = new Set([
  '2024-10-07',
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  LEGACY_REVISION,
  MODERN_REVISION,
]);
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const INFO_KEY = 'io.modelcontextprotocol/clientInfo';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([VERSION_KEY, INFO_KEY, CAPABILITIES_KEY, LOG_LEVEL_KEY]);

/** Results that a client may keep for a while have to say for how long. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);
/** The server did not promise anything, so nothing may be kept. */
const NOT_KEPT = '"ttlMs":0,"cacheScope":"private"';

/** What a request of the modern era says about its sender. */
export interface Envelope {
  readonly version: string;
  readonly info: unknown;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly logLevel: string | undefined;
}

/** Whether a client whose first message this is speaks the modern era. */
export function isModern(message: RawMessage): boolean {
  return message.method === 'server/discover' || readEnvelope(message) !== undefined;
}

export function readEnvelope(message: RawMessage): Envelope | undefined {
  const meta: unknown = message.value('params', '_meta');
  if (!isObject(meta)) return undefined;
  const version = meta[VERSION_KEY];
  const capabilities = meta[CAPABILITIES_KEY];
  const logLevel = meta[LOG_LEVEL_KEY];
  if (typeof version !== 'string' || !isObject(capabilities)) return undefined;
  return {
    version,
    info: meta[INFO_KEY],
    capabilities,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
  };
}

/** What each request of the modern era carries, as written. */
interface OwnEnvelope {
  readonly capabilities: string;
  readonly info: string;
  readonly logLevel: string | undefined;
}

/** Puts into a request what a server of the modern era wants to know of its sender. */
export function enveloped(
  message: RawMessage,
  { capabilities, info, logLevel }: OwnEnvelope,
): readonly Edit[] {
  const members = [
    [VERSION_KEY, JSON.stringify(MODERN_REVISION)],
    [INFO_KEY, info],
    [CAPABILITIES_KEY, capabilities],
    ...(logLevel === undefined ? [] : [[LOG_LEVEL_KEY, logLevel]]),
  ].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  const known: unknown = message.value('params', '_meta');
  if (isObject(known)) {
    const kept = Object.keys(known).map(
      (key) => `${JSON.stringify(key)}:${message.raw('params', '_meta', key) ?? 'null'}`,
    );
    return message.set(['params', '_meta'], `{${[...kept, ...members].join(',')}}`);
  }
  const meta = `{${members.join(',')}}`;
  return message.span('params') === undefined
    ? message.set(['params'], `{"_meta":${meta}}`)
    : message.set(['params', '_meta'], meta);
}

/** Members of params that belong to a round of a call, and not to the call. */
const ROUND: ReadonlySet<string> = new Set(['inputResponses', 'requestState']);

/** Takes out of a request what a server of the legacy era does not know. */
export function withoutEnvelope(message: RawMessage): readonly Edit[] {
  const params: unknown = message.value('params');
  const span = message.span('params');
  if (span === undefined || !isObject(params)) return [];
  const members = Object.keys(params).flatMap((key) => {
    if (ROUND.has(key)) return [];
    const text = key === '_meta' ? cleanMeta(message, params[key]) : message.raw('params', key);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return [{ ...span, text: `{${members.join(',')}}` }];
}

function cleanMeta(message: RawMessage, meta: unknown): string | undefined {
  if (!isObject(meta)) return message.raw('params', '_meta');
  const kept = Object.keys(meta).filter((key) => !ENVELOPE_KEYS.has(key));
  const members = kept.map(
    (key) => `${JSON.stringify(key)}:${message.raw('params', '_meta', key) ?? 'null'}`,
  );
  return kept.length === 0 ? undefined : `{${members.join(',')}}`;
}

/** Whether a result asks something: its call is not over. */
export function asksBack(answer: RawMessage): boolean {
  return answer.value('result', 'resultType') === 'input_required';
}

/** Makes a result of the legacy era one of the modern era. */
export function asComplete(answer: RawMessage, method: string): readonly Edit[] {
  const span = answer.span('result');
  if (span === undefined || asksBack(answer)) return [];
  const text = answer.raw('result') ?? '{}';
  if (!text.startsWith('{')) return [];
  const isEmpty = text.slice(1, -1).trim() === '';
  const cache = CACHEABLE.has(method) && answer.span('result', 'ttlMs') === undefined ? `,${NOT_KEPT}` : '';
  const type = answer.span('result', 'resultType') === undefined ? '"resultType":"complete"' : '';
  const added = `${type}${cache}`.replace(/^,/, '');
  if (added === '') return [];
  const start = span.start + 1;
  return [{ start, end: start, text: isEmpty ? added : `${added},` }];
}
