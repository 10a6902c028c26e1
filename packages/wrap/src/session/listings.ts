import { createHash } from 'node:crypto';
import { RawMessage } from '../wire/raw-message.js';

/** The lists a client may have read, and what it is told where one has changed. */
const LISTINGS = [
  { method: 'tools/list', member: 'tools', changed: 'notifications/tools/list_changed' },
  { method: 'prompts/list', member: 'prompts', changed: 'notifications/prompts/list_changed' },
  { method: 'resources/list', member: 'resources', changed: 'notifications/resources/list_changed' },
] as const;
type Listing = (typeof LISTINGS)[number];

type Ask = (method: string, params: object | undefined) => Promise<RawMessage>;

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

  /** Reads the lists again through `ask`, and tells of those that differ from what the client has read. */
  async announce(ask: Ask, tell: (notification: RawMessage) => void): Promise<void> {
    for (const listing of LISTINGS) {
      const known = this.#pages.get(listing.method);
      // A server that ended meanwhile is replaced in turn, and its successor is asked.
      const isChanged = known !== undefined && (await differs(listing, known, ask).catch(() => false));
      if (isChanged) tell(RawMessage.from({ method: listing.changed }));
    }
  }
}

async function differs({ method, member }: Listing, known: readonly string[], ask: Ask): Promise<boolean> {
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
