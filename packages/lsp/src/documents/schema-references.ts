import { dirname, resolve } from 'node:path';
import { hostPathStyle, readFileUri, type Scope } from '@rootward/core';
import { RootwardLspError } from '../error.js';

/** A reference in a comment or a key, up to the end of its value. */
const REFERENCE = /(\$schema["']?\s*[=:]\s*["']?)([^\s"',}]+)/g;
/** An address that a server asks its client for. It must not be longer than the name that it stands for. */
const STAND_IN = 'http:';
const MAX_SCHEMA_BYTES: number = 1024 * 1024;
/** Keys whose value leads to another schema. */
const LEADS_ON: ReadonlySet<string> = new Set(['$schema', '$ref', '$dynamicRef', '$recursiveRef']);

/**
 * Schemas that documents name. A server must neither fetch them from the network nor read them from the disk, so it is
 * shown an address of the same length in place of a file in scope, and asks for it here.
 */
export class SchemaReferences {
  readonly #paths = new Map<string, string>();
  readonly #standIns = new Map<string, string>();

  /** The text with placeholders for the schema files in scope. Keeps every position. */
  mask(scope: Scope, path: string, text: string): string {
    if (!text.includes('$schema')) return text;
    return text.replace(REFERENCE, (all: string, head: string, value: string) => {
      const schema = pathOf(value, path);
      const isShown = schema !== undefined && scope.contains(schema);
      return isShown ? head + (this.#standInFor(schema, value.length) ?? value) : all;
    });
  }

  /** The content of a schema in scope, without what would lead on from it to other files or addresses. */
  async read(scope: Scope | undefined, uri: string): Promise<string> {
    // The JSON server puts a slash into it.
    const path = this.#paths.get(uri.replace(/^http:\/+(?=\d+$)/, STAND_IN)) ?? pathOf(uri);
    if (scope === undefined || path === undefined) {
      throw new RootwardLspError('unsupported', 'Cannot load the schema: only files in the roots are read');
    }
    const { text } = await scope.readText(path, { maxBytes: MAX_SCHEMA_BYTES });
    const schema: unknown = JSON.parse(text);
    return JSON.stringify(schema, (key, value: unknown) =>
      LEADS_ON.has(key) && typeof value === 'string' && !value.startsWith('#') ? undefined : value,
    );
  }

  #standInFor(path: string, length: number): string | undefined {
    const key = `${length} ${path}`;
    const known = this.#standIns.get(key);
    if (known !== undefined) return known;
    const number = String(this.#standIns.size);
    const standIn = STAND_IN + number.padStart(length - STAND_IN.length, '0');
    if (standIn.length !== length) return undefined;
    this.#standIns.set(key, standIn);
    this.#paths.set(standIn, path);
    return standIn;
  }
}

/** Undefined for an address that is no file. */
function pathOf(reference: string, beside?: string): string | undefined {
  if (/^file:/i.test(reference)) {
    const reading = readFileUri(reference, hostPathStyle);
    return reading.ok && !reading.ambiguous ? reading.path : undefined;
  }
  if (beside === undefined || /^[a-z][a-z\d+.-]+:/i.test(reference)) return undefined;
  return resolve(dirname(beside), reference);
}
