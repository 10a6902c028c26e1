import type { Disposable } from '@rootward/core';
import { disposable } from '@rootward/core/platform';
import type { AuditRecord } from './audit-trail.js';

/** What happened, with when: one decision about one path, of a tool or of the operator. Holds no contents. */
export interface ActivityEvent extends AuditRecord {
  readonly time: string;
}

/** Receives every event: the audit file, or an open page. */
export type EventOutlet = (event: ActivityEvent) => void;

/** Passes events on to subscribers. Costs nothing while there are none. */
export class EventHub {
  readonly #outlets = new Set<EventOutlet>();
  readonly #now: () => Date;

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  get wanted(): boolean {
    return this.#outlets.size > 0;
  }

  add(outlet: EventOutlet): Disposable {
    this.#outlets.add(outlet);
    return disposable(() => this.#outlets.delete(outlet));
  }

  record(record: AuditRecord): void {
    if (!this.wanted) return;
    const event = { time: this.#now().toISOString(), ...record };
    for (const outlet of this.#outlets) outlet(event);
  }
}
