import type { Diagnostic, PublishDiagnosticsParams } from 'vscode-languageserver-protocol';
import { readFileUri, hostPathStyle, type Clock } from '@rootward/core';
import { Deferred, within } from '@rootward/core/platform';
import type { OpenDocument } from '../documents/documents.js';

interface Published {
  readonly version: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** What a server has said of its own accord about its files. Kept for open documents only. */
export class PublishedDiagnostics {
  readonly #clock: Clock;
  readonly #isOpen: (path: string) => boolean;
  readonly #byPath = new Map<string, Published>();
  /** It says which version of a document it means. */
  #givesVersions = false;
  #news = new Deferred();

  constructor(clock: Clock, isOpen: (path: string) => boolean) {
    this.#clock = clock;
    this.#isOpen = isOpen;
  }

  take({ uri, version, diagnostics }: PublishDiagnosticsParams): void {
    const reading = readFileUri(uri, hostPathStyle);
    if (version !== undefined) this.#givesVersions = true;
    if (!reading.ok || !this.#isOpen(reading.path)) return;
    // clangd takes back what it said of a document that was closed, which may be open again by now.
    if (version === undefined && diagnostics.length === 0 && this.#givesVersions) return;
    this.#byPath.set(reading.path, { version, diagnostics });
    this.#news.resolve();
    this.#news = new Deferred();
  }

  forget(path: string): void {
    this.#byPath.delete(path);
  }

  /** What was said about this version of a document, or undefined when nothing comes in time. */
  async of(
    { path, version }: OpenDocument,
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<readonly Diagnostic[] | undefined> {
    const deadline = this.#clock.now() + milliseconds;
    for (;;) {
      const published = this.#byPath.get(path);
      if (published !== undefined && (published.version ?? version) >= version) return published.diagnostics;
      const left = deadline - this.#clock.now();
      if (left <= 0) return undefined;
      await within(this.#news.promise, { clock: this.#clock, milliseconds: left, signal });
    }
  }
}
