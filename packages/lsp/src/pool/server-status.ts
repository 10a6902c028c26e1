import type { FolderKind } from '../servers/definition.js';
import type { ServerSlot, SlotState } from './server-slot.js';

/** What people are shown about a server. */
export interface ServerStatus {
  readonly server: string;
  readonly language: string;
  readonly state: Exclude<SlotState, 'idle'>;
  readonly kind?: FolderKind;
  /** The folders it serves. */
  readonly folders: readonly string[];
  /** Still looking through its files: answers may be incomplete. */
  readonly warmingUp: boolean;
  /** Of the process and its descendants, where the system tells. */
  readonly memoryKb?: number;
  /** Level, backend and guarantee of its sandbox; "off" without one. Undefined for one that does not run. */
  readonly sandbox?: string;
  /** What its sandbox does not hold it back from, although a rule says so. */
  readonly shortfall?: string;
  /** Why it does not run. */
  readonly reason?: string;
}

/** Undefined for a server that is merely not needed at the moment. */
export function statusOf(slot: ServerSlot): ServerStatus | undefined {
  const { state, definition, instance, kind, reason } = slot;
  if (state === 'idle') return undefined;
  const shortfall = instance?.process.sandbox?.shortfall;
  const memoryKb = instance?.process.memory();
  return {
    server: definition.name,
    language: definition.language,
    state,
    ...(kind !== undefined && { kind }),
    folders: instance?.folders.map(({ path }) => path) ?? [],
    warmingUp: instance !== undefined && !instance.readiness.ready,
    ...(instance !== undefined && { sandbox: instance.process.sandbox?.description ?? 'off' }),
    ...(shortfall !== undefined && { shortfall }),
    ...(memoryKb !== undefined && { memoryKb }),
    ...(reason !== undefined && { reason }),
  };
}
