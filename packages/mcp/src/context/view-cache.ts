import { hash } from 'node:crypto';
import type { Clock, WorkspaceView } from '@rootward/core';

/** Enough for many clients with a few lists of roots each. The least recently used view is dropped first. */
const MAX_VIEWS = 64;
/** A long list of roots is stored by its digest; for a short one the digest costs more than the text. */
const MAX_KEY_LENGTH = 1024;
/** A view shows the disk as it was. Access is checked again each time, so an old view can only refuse too much. */
const KEPT_MS = 30_000;

/**
 * Keeps views by what they were made from. It only saves time: without it, the same input gives the same view.
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

/** Undefined for input that is nested too deeply for JSON: no honest client sends that, and its view is not kept. */
function keyOf(inputs: unknown): string | undefined {
  try {
    const text = JSON.stringify(inputs);
    return text.length > MAX_KEY_LENGTH ? hash('sha256', text, 'base64') : text;
  } catch {
    return undefined;
  }
}
