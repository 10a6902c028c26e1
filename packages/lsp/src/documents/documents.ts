import { pathToFileUri, type Scope } from '@rootward/core';
import type { ServerConnection } from '../connection/server-connection.js';

/** A file as a server sees it. */
export interface OpenDocument {
  readonly path: string;
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  readonly text: string;
}

interface Entry extends OpenDocument {
  readonly stamp: string;
}

/** How many documents stay open between calls, so that the next question about them is quick. */
const MAX_IDLE_DOCUMENTS = 16;
/** A larger source file is generated or data, and opening it would cost a server too much. */
const MAX_DOCUMENT_BYTES: number = 4 * 1024 * 1024;

export interface DocumentsOptions {
  /** Told of every document whose text the server gets or loses. */
  readonly changed?: (path: string) => void;
  /** The text that the server gets instead of a file's text, with every position kept. */
  readonly shownAs?: (scope: Scope, path: string, text: string) => string;
}

/** The files a server has open. All are read through a scope, and compared with the disk before each request. */
export class Documents {
  readonly #connection: Pick<ServerConnection, 'notify'>;
  /** By path, least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #users = new Map<string, number>();
  /** The latest version of each, also of closed ones: findings of an old version must not count for a new one. */
  readonly #versions = new Map<string, number>();

  readonly #changed: (path: string) => void;
  readonly #shownAs: (scope: Scope, path: string, text: string) => string;

  constructor(connection: Pick<ServerConnection, 'notify'>, options: DocumentsOptions = {}) {
    this.#connection = connection;
    this.#changed = options.changed ?? (() => undefined);
    this.#shownAs = options.shownAs ?? ((_scope, _path, text) => text);
  }

  get paths(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Every file that was ever open. */
  get shown(): Iterable<string> {
    return this.#versions.keys();
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** Opens a file, or brings the server's copy up to date. The holder must give it back. */
  async hold(scope: Scope, path: string, languageId: string, signal?: AbortSignal): Promise<OpenDocument> {
    this.#users.set(path, (this.#users.get(path) ?? 0) + 1);
    try {
      return await this.#refresh(scope, path, languageId, signal);
    } catch (error) {
      this.release(path);
      throw error;
    }
  }

  release(path: string): void {
    const users = (this.#users.get(path) ?? 0) - 1;
    if (users > 0) this.#users.set(path, users);
    else this.#users.delete(path);
    this.#trim();
  }

  /** Tells the server how the open files changed on disk. */
  async sync(scope: Scope, signal?: AbortSignal): Promise<void> {
    // All at once: one after the other they took longer than most answers.
    const changed = await Promise.all(
      [...this.#entries.values()].map(async (entry) => {
        const stamp = await stampOf(scope, entry.path).catch(() => undefined);
        return stamp === entry.stamp ? [] : [entry];
      }),
    );
    for (const { path, languageId } of changed.flat()) {
      try {
        await this.#refresh(scope, path, languageId, signal, false);
      } catch {
        signal?.throwIfAborted();
        this.close(path);
      }
    }
  }

  /** Closes what nobody holds. */
  closeIdle(): void {
    for (const path of this.paths) if (!this.#users.has(path)) this.close(path);
  }

  close(path: string): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#entries.delete(path);
    this.#changed(path);
    this.#connection.notify('textDocument/didClose', { textDocument: { uri: entry.uri } });
  }

  async #refresh(
    scope: Scope,
    path: string,
    languageId: string,
    signal?: AbortSignal,
    used = true,
  ): Promise<Entry> {
    const stamp = await stampOf(scope, path);
    const known = this.#entries.get(path);
    if (known?.stamp === stamp) return used ? this.#touch(known) : known;
    const { text } = await scope.readText(path, {
      maxBytes: MAX_DOCUMENT_BYTES,
      ...(signal !== undefined && { signal }),
    });
    // While the disk was read, another call may have done the same.
    const before = this.#entries.get(path);
    const entry: Entry = {
      path,
      uri: before?.uri ?? pathToFileUri(path),
      version: before?.text === text ? before.version : (this.#versions.get(path) ?? 0) + 1,
      text,
      languageId,
      stamp,
    };
    const shown = this.#shownAs(scope, path, text);
    if (before === undefined) this.#tellOpened(entry, shown);
    else if (before.text !== text) this.#tellChanged(entry, shown);
    return this.#touch(entry);
  }

  #touch(entry: Entry): Entry {
    this.#entries.delete(entry.path);
    this.#entries.set(entry.path, entry);
    return entry;
  }

  #tellOpened({ path, uri, languageId, version }: Entry, text: string): void {
    this.#versions.set(path, version);
    this.#changed(path);
    this.#connection.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
  }

  #tellChanged({ path, uri, version }: Entry, text: string): void {
    this.#versions.set(path, version);
    this.#changed(path);
    const params = { textDocument: { uri, version }, contentChanges: [{ text }] };
    this.#connection.notify('textDocument/didChange', params);
  }

  #trim(): void {
    const idle = this.paths.filter((path) => !this.#users.has(path));
    for (const path of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_DOCUMENTS))) this.close(path);
  }
}

async function stampOf(scope: Scope, path: string): Promise<string> {
  const { modified, size } = await scope.stat(path);
  return `${modified.getTime()} ${size}`;
}
