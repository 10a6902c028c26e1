import type { Logger } from '@rootward/core';
import { AuditTrail } from './audit-trail.js';
import type { EventHub } from './event-hub.js';

/** Has every event written to a file, where the operator named one. Throws where it cannot be written. */
export function openAudit(file: string | undefined, events: EventHub, log: Logger): AuditTrail | undefined {
  if (file === undefined) return undefined;
  const audit = new AuditTrail({
    file,
    onFailure: (error) => log.warn('audit line not written', { file, error: String(error) }),
  });
  events.add((event) => audit.record(event));
  return audit;
}
