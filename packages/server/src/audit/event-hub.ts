import type { Disposable } from '@rootward/core';
import { disposable } from '@rootward/core/platform';
import type { AuditRecord } from './audit-trail.js';

/** What happened, with when: one decision about one path, of a tool or of the operator. Holds no contents. */
export interface ActivityEvent extends AuditRecord {
  readonly at: number;
}

/** Receives every event: the audit file, or an open page. */
export type EventOutlet = (event: ActivityEvent) => void;

/** Passes events on to subscribers. Costs nothing while there are none. */
export class EventHub {
  readonly #outlets = new Set<EventOutlet>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get wanted(): boolean {
    return this.#outlets.size > 0;
  }

  add(outlet: EventOutlet): Disposable {
    this.#outlets.add(outlet);
    return disposable(() => this.#outlets.delete(outlet));
  }

  /** The moment stays a number: writing it out costs more than all the rest, and few outlets need it. */
  record({ session, principal, tool, path, decision, reason }: AuditRecord): void {
    if (!this.wanted) return;
    const event: ActivityEvent = { at: this.#now(), session, principal, tool, path, decision, reason };
    for (const outlet of this.#outlets) outlet(event);
  }
}
