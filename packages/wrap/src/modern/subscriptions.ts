import { isObject } from '@rootward/core/platform';
import type { RawMessage } from '../wire/raw-message.js';
import { SUBSCRIPTION_KEY } from '../wire/envelope.js';

/** The members of a filter, and the notifications they let through. */
const KINDS: readonly (readonly [member: string, method: string])[] = [
  ['toolsListChanged', 'notifications/tools/list_changed'],
  ['promptsListChanged', 'notifications/prompts/list_changed'],
  ['resourcesListChanged', 'notifications/resources/list_changed'],
];
const UPDATED = 'notifications/resources/updated';

/** One `subscriptions/listen` that is open. */
interface Subscription {
  readonly id: string;
  readonly methods: ReadonlySet<string>;
  readonly uris: ReadonlySet<string>;
}

/** What a client of the modern era wants to hear of. Servers of the legacy era tell everything to everyone. */
export class Subscriptions {
  readonly #open = new Map<string, Subscription>();

  /** Returns what was understood of the filter. */
  open(
    id: string,
    request: RawMessage,
  ): { readonly notifications: Record<string, unknown>; readonly uris: readonly string[] } {
    const filter: unknown = request.value('params', 'notifications');
    const wanted = isObject(filter) ? filter : {};
    const kinds = KINDS.filter(([member]) => wanted[member] === true);
    const given = wanted['resourceSubscriptions'];
    const uris = Array.isArray(given) ? given.filter((uri): uri is string => typeof uri === 'string') : [];
    this.#open.set(id, { id, methods: new Set(kinds.map(([, method]) => method)), uris: new Set(uris) });
    const notifications: Record<string, unknown> = Object.fromEntries(
      kinds.map(([member]) => [member, true]),
    );
    if (uris.length > 0) notifications['resourceSubscriptions'] = uris;
    return { notifications, uris };
  }

  /** Returns the resources that nobody listens to any more; undefined where there was no such subscription. */
  close(id: string): readonly string[] | undefined {
    const closed = this.#open.get(id);
    if (closed === undefined) return undefined;
    this.#open.delete(id);
    return [...closed.uris].filter((uri) => ![...this.#open.values()].some(({ uris }) => uris.has(uri)));
  }

  /** The notification for each subscription that it belongs to, with the id of that subscription. */
  route(message: RawMessage): readonly { readonly id: string; readonly pieces: readonly Buffer[] }[] {
    const { method = '' } = message;
    const uri: unknown = method === UPDATED ? message.value('params', 'uri') : undefined;
    const hits = [...this.#open.values()].filter(({ methods, uris }) =>
      method === UPDATED ? typeof uri === 'string' && uris.has(uri) : methods.has(method),
    );
    return hits.map(({ id }) => ({ id, pieces: addressed(message, id) }));
  }

  static isRouted(method: string): boolean {
    return method === UPDATED || KINDS.some(([, routed]) => routed === method);
  }
}

function addressed(message: RawMessage, id: string): readonly Buffer[] {
  const name = JSON.stringify(SUBSCRIPTION_KEY);
  const path =
    message.span('params') === undefined
      ? message.set(['params'], `{"_meta":{${name}:${id}}}`)
      : message.span('params', '_meta') === undefined
        ? message.set(['params', '_meta'], `{${name}:${id}}`)
        : message.set(['params', '_meta', SUBSCRIPTION_KEY], id);
  return message.edited(path);
}
