import { createHash } from 'node:crypto';
import type { RawMessage } from '../wire/raw-message.js';

/** The lists a client may have read, and what it is told where one has changed. */
const LISTINGS = [
  { method: 'tools/list', member: 'tools', changed: 'notifications/tools/list_changed' },
  { method: 'prompts/list', member: 'prompts', changed: 'notifications/prompts/list_changed' },
  { method: 'resources/list', member: 'resources', changed: 'notifications/resources/list_changed' },
] as const;
export type Listing = (typeof LISTINGS)[number];

/** Beyond so many pages a list counts as changed. */
const MAX_PAGES = 50;

/** Remembers what the client has read of each list, as digests, to tell whether a new server has another one. */
export class Listings {
  readonly #pages = new Map<string, string[]>();

  /** The client read a page; the one without a cursor is the first. */
  note(method: string, hasCursor: boolean, answer: RawMessage): void {
    const listing = LISTINGS.find((each) => each.method === method);
    if (listing === undefined || answer.isError) return;
    const page = digest(answer, listing.member);
    const pages = this.#pages.get(method);
    if (!hasCursor || pages === undefined) this.#pages.set(method, [page]);
    else if (pages.length < MAX_PAGES) pages.push(page);
  }

  /** Reads the lists again through `ask` and returns those that differ from what the client has read. */
  async changed(
    ask: (method: string, params: object | undefined) => Promise<RawMessage>,
  ): Promise<readonly Listing[]> {
    const changed: Listing[] = [];
    for (const listing of LISTINGS) {
      const known = this.#pages.get(listing.method);
      if (known !== undefined && (await differs(listing, known, ask))) changed.push(listing);
    }
    return changed;
  }
}

async function differs(
  { method, member }: Listing,
  known: readonly string[],
  ask: (method: string, params: object | undefined) => Promise<RawMessage>,
): Promise<boolean> {
  let cursor: unknown;
  for (const page of known) {
    const answer = await ask(method, cursor === undefined ? undefined : { cursor });
    if (answer.isError || digest(answer, member) !== page) return true;
    cursor = answer.value('result', 'nextCursor');
  }
  return false;
}

function digest(answer: RawMessage, member: string): string {
  return createHash('sha256')
    .update(answer.raw('result', member) ?? '')
    .digest('base64');
}
