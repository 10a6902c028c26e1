import type { Diagnostic, PublishDiagnosticsParams } from 'vscode-languageserver-protocol';
import { readFileUri, hostPathStyle, type Clock } from '@rootward/core';
import { Deferred, within } from '@rootward/core/platform';
import type { OpenDocument } from '../documents/documents.js';
import type { ServerDefinition } from '../servers/definition.js';

interface Published {
  readonly version: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly at: number;
}

/** What a server says of its own accord about a document. */
export interface PublishedFindings {
  readonly diagnostics: readonly Diagnostic[];
  /** Whether it has sent everything; false if that is not known. */
  readonly isAll: boolean;
}

/** After this long without news, what was sent so far is used, and marked as possibly incomplete. */
const QUIET_MS = 1_000;

/** What a server has said of its own accord about its files. Kept for open documents only. */
export class PublishedDiagnostics {
  readonly #clock: Clock;
  readonly #isOpen: (path: string) => boolean;
  readonly #sendsAll: ServerDefinition['sendsAll'];
  readonly #byPath = new Map<string, Published>();
  /** It says which version of a document it means. */
  #givesVersions = false;
  #news = new Deferred();

  constructor(
    clock: Clock,
    isOpen: (path: string) => boolean,
    { sendsAll }: Pick<ServerDefinition, 'sendsAll'>,
  ) {
    this.#clock = clock;
    this.#isOpen = isOpen;
    this.#sendsAll = sendsAll;
  }

  take({ uri, version, diagnostics }: PublishDiagnosticsParams): void {
    const reading = readFileUri(uri, hostPathStyle);
    if (version !== undefined) this.#givesVersions = true;
    if (!reading.ok || !this.#isOpen(reading.path)) return;
    // clangd takes back what it said of a document that was closed, which may be open again by now.
    if (version === undefined && diagnostics.length === 0 && this.#givesVersions) return;
    const before = this.#byPath.get(reading.path)?.version;
    if (before !== undefined && (version === undefined || version < before)) return;
    this.#byPath.set(reading.path, { version, diagnostics, at: this.#clock.now() });
    this.#news.resolve();
    this.#news = new Deferred();
  }

  /** Which versions of open documents it has spoken of, by path. */
  get versions(): ReadonlyMap<string, number | undefined> {
    return new Map([...this.#byPath].map(([path, { version }]) => [path, version]));
  }

  forget(path: string): void {
    this.#byPath.delete(path);
  }

  /** What was said about this version of a document, or undefined when nothing comes in time. */
  async of(
    { path, version }: OpenDocument,
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<PublishedFindings | undefined> {
    const deadline = this.#clock.now() + milliseconds;
    for (;;) {
      const published = this.#byPath.get(path);
      const meant =
        published !== undefined && (published.version ?? version) >= version ? published : undefined;
      const isAll = meant !== undefined && this.#isAll(meant);
      const end = Math.min(deadline, (meant?.at ?? deadline) + QUIET_MS);
      const left = end - this.#clock.now();
      if (isAll || left <= 0) return meant && { diagnostics: meant.diagnostics, isAll };
      await within(this.#news.promise, { clock: this.#clock, milliseconds: left, signal });
    }
  }

  #isAll({ version }: Published): boolean {
    return this.#sendsAll === 'at once' || (this.#sendsAll === 'with a version' && version !== undefined);
  }
}
