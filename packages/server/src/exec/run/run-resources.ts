import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GroupGuard } from './group-guard.js';
import { PipeStore } from './pipe-store.js';

/** What the calls of a server share: a folder for their files, pipes, and the guard that removes both in the end. */
export class RunResources implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'rootward-tools-'));
  readonly pipes: PipeStore = new PipeStore();
  readonly guard: GroupGuard;

  constructor() {
    try {
      this.guard = new GroupGuard(this.folder, this.pipes.folders);
    } catch (error) {
      this.#removeFolders();
      throw error;
    }
  }

  /** False once somebody cleaned up, as systems do with temporary files after some days, or took the name. */
  get isThere(): boolean {
    const found = lstatSync(this.folder, { throwIfNoEntry: false });
    return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
  }

  dispose(): void {
    this.guard.dispose();
    this.#removeFolders();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #removeFolders(): void {
    for (const folder of [this.folder, ...this.pipes.folders]) {
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {
        // Somebody still makes files in it; the guard removes it, too.
      }
    }
  }
}
