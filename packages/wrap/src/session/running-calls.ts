import type { Instance } from '../inner/instance.js';
import type { EndWatch } from './call-watch.js';

/** A request of the client that a server works on. */
export interface Running {
  readonly instance: Instance;
  readonly innerId: string;
  /** As written; undefined where no progress is wanted. */
  readonly token: string | undefined;
  readonly endWatch: EndWatch | undefined;
}

/** The client's requests that a server works on, by the client's id; the oldest first. */
export class RunningCalls extends Map<string, Running> {
  oldestOf(instance: Instance): string | undefined {
    for (const [id, running] of this) if (running.instance === instance) return id;
    return undefined;
  }

  ofToken(token: string | undefined): string | undefined {
    if (token === undefined) return undefined;
    for (const [id, running] of this) if (running.token === token) return id;
    return undefined;
  }

  async endWatches(): Promise<void> {
    await Promise.all([...this.values()].map(async ({ endWatch }) => endWatch?.()));
  }
}
