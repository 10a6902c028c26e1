import { isKeptWorkspace } from '@rootward/core';
import { isObject, type JsonObject } from '@rootward/core/platform';
import type { KeptConnection } from '../../context/kept-connection.js';
import { RootwardMcpError } from '../../error.js';
import { storedFields, storedText } from '../../store/stored-value.js';

/**
 * What is kept of a session: plain fields, so that two processes that change different ones at the same time both get
 * their way.
 */
export interface SessionRecord {
  /** Grows with every change. */
  readonly turn: number;
  readonly fields: JsonObject;
  /** As it is stored. */
  readonly text: string;
}

/** Another name when fields change their meaning: then versions that do not know it find no session. */
const FIELDS = 'session';
/** It is read with each request. Enough for as many roots as count, of the usual lengths. */
const MAX_BYTES = 2 * 1024 * 1024;
/** What the names of these fields start with. */
export const SUBSCRIPTION = 'subscription ';
/** What the client said when it opened the session. */
export const INITIALIZE = 'initialize';
const BINDING = 'binding ';
const WORKSPACE = 'workspace';
const HISTORY = 'history';
const RELATIVE_TO = 'relativeTo';

export function makeRecord(turn: number, fields: JsonObject): SessionRecord {
  return { turn, fields, text: storedText({ turn, [FIELDS]: fields }) };
}

/** Throws `session-too-large` for what cannot be stored. */
export function requireStorable({ text }: SessionRecord): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_BYTES) return;
  const size = `it takes ${Math.ceil(bytes / 1024)} KB with the roots of its client, and at most ${MAX_BYTES / 1024} KB are stored`;
  throw new RootwardMcpError('session-too-large', `Cannot go on with the session: ${size}`);
}

/** Throws `store-invalid`. */
export function readRecord(text: string): SessionRecord {
  const { turn, [FIELDS]: fields } = storedFields(text);
  if (!Number.isSafeInteger(turn) || !isObject(fields) || !isSession(fields)) throw unusable();
  return { turn: Number(turn), fields, text };
}

/** What is left out of a session could widen what it may touch. */
function isSession(fields: JsonObject): boolean {
  const { [INITIALIZE]: initialize, [WORKSPACE]: workspace, [HISTORY]: history } = fields;
  const bindings = Object.entries(fields).filter(([name]) => name.startsWith(BINDING));
  return (
    isObject(initialize) &&
    (workspace === undefined || isKeptWorkspace(workspace)) &&
    (history === undefined || typeof history === 'string') &&
    bindings.every(([, binding]) => isObject(binding) && typeof binding['cwd'] === 'string')
  );
}

/** For a record that no session can go on with. */
export function unusable(): RootwardMcpError {
  return new RootwardMcpError(
    'store-invalid',
    'Cannot use a value of the session store: it is not a session',
  );
}

/** Undefined stands for a field that is gone. */
export function changedFields(
  before: JsonObject,
  after: JsonObject,
): readonly (readonly [string, unknown])[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => [name, after[name]] as const);
}

/** Their record with our changes. */
export function mergeFields(
  theirs: JsonObject,
  changes: readonly (readonly [string, unknown])[],
): JsonObject {
  const merged = Object.fromEntries([...Object.entries(theirs), ...changes]);
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

export function connectionFields({
  workspace,
  bindings = {},
  history,
  relativeTo,
}: KeptConnection): JsonObject {
  return {
    ...(workspace !== undefined && { [WORKSPACE]: workspace }),
    ...(history !== undefined && { [HISTORY]: history }),
    ...(relativeTo !== undefined && { [RELATIVE_TO]: relativeTo }),
    ...Object.fromEntries(Object.entries(bindings).map(([id, binding]) => [BINDING + id, binding])),
  };
}

/** A wrong value in it grants nothing: roots and consents are looked up and cut to the ceiling on use. */
export function readConnection(fields: JsonObject): KeptConnection {
  const { [WORKSPACE]: workspace, [HISTORY]: history, [RELATIVE_TO]: relativeTo } = fields;
  const bindings = Object.entries(fields)
    .filter(([name]) => name.startsWith(BINDING))
    .map(([name, value]) => [name.slice(BINDING.length), value]);
  return {
    ...(isKeptWorkspace(workspace) && { workspace }),
    ...(typeof history === 'string' && { history }),
    ...(typeof relativeTo === 'string' && { relativeTo }),
    bindings: Object.fromEntries(bindings),
  };
}
