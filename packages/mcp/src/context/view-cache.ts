import { hash } from 'node:crypto';
import type { Clock, WorkspaceView } from '@rootward/core';

/** Many clients with a few root lists each; the least recently used goes first. */
const MAX_VIEWS = 64;
/** A long list of roots is stored by its digest; for a short one the digest costs more than the text. */
const MAX_KEY_LENGTH = 1024;
/** A view holds what the disk looked like. Access is decided anew each time, so an old view can only refuse. */
const KEPT_MS = 30_000;

/**
 * Views by the digest of what they were made from. That is computation, not state: the same roots give
 * the same view with or without it, only slower.
 */
export class ViewCache {
  readonly #clock: Clock;
  readonly #views = new Map<string, { readonly view: WorkspaceView; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(inputs: unknown, make: () => Promise<WorkspaceView>): WorkspaceView | Promise<WorkspaceView> {
    const key = keyOf(inputs);
    if (key === undefined) return make();
    const known = this.#views.get(key);
    this.#views.delete(key);
    if (known === undefined || this.#clock.now() >= known.until) return this.#make(key, make);
    this.#views.set(key, known);
    return known.view;
  }

  async #make(key: string, make: () => Promise<WorkspaceView>): Promise<WorkspaceView> {
    const view = await make();
    // A root that was rejected may become valid at any moment, and should count at once.
    if (view.snapshot().rejected.length === 0) this.#keep(key, view);
    return view;
  }

  #keep(key: string, view: WorkspaceView): void {
    this.#views.set(key, { view, until: this.#clock.now() + KEPT_MS });
    for (const oldest of this.#views.keys()) {
      if (this.#views.size <= MAX_VIEWS) return;
      this.#views.delete(oldest);
    }
  }
}

/** Undefined for what is nested too deep to be written out: no honest client sends that, and each call reads it anew. */
function keyOf(inputs: unknown): string | undefined {
  try {
    const text = JSON.stringify(inputs);
    return text.length > MAX_KEY_LENGTH ? hash('sha256', text, 'base64') : text;
  } catch {
    return undefined;
  }
}
