import { closeSync, fstatSync, type Stats } from 'node:fs';
import { RootwardError } from '../error.js';
import type { Next, Plan, Prior, Recorder, Recording } from '../scope/recording/recorder.js';
import { quotePath } from '../scope/gate/refusal.js';
import { ABSENT, type EntryState, type FileState, type Step, type TreeState } from './journal/entry-state.js';
import { inlineContent, MAX_INLINE_BYTES } from './journal/inline-content.js';
import type { ChangeAbout, CountedTree } from './journal/line.js';
import type { OpenProject } from './journal/project-journal.js';
import { hashDescriptor, hashOf, readSmall } from '../scope/recording/content-hash.js';

const PERMISSION_BITS = 0o7777;
/** What a model is told if the history is required. */
export const ONLY_WHAT_CAN_BE_TAKEN_BACK =
  'Tell the user: the operator allows only changes that can be taken back';

/** What a recorder needs of the history it belongs to. */
export interface RecorderHost {
  readonly required: boolean;
  readonly maxFileBytes: number;
  /** The journal for a path, and the store where that is needed, too; throws where there is none to write to. */
  open(path: string, needsStore: boolean): OpenProject;
  newId(): string;
  now(): number;
  /** Logs once that something cannot be kept. */
  complain(error: unknown): void;
  /** Called when a change is over; the history may then tidy up. */
  ended(): void;
}

interface Begun {
  readonly id: string;
  readonly project: OpenProject;
  steps: number;
  readonly failed: number[];
}

const NOTHING: Recording = { taken: false, done: () => undefined, failed: () => undefined };

/** Keeps all that is changed until `finish()` as one change. */
export class ChangeRecorder implements Recorder {
  readonly #host: RecorderHost;
  readonly #about: ChangeAbout;
  #begun: Begun | undefined;
  readonly #notes: string[] = [];
  readonly #counted: CountedTree[] = [];
  /** The name under which the folder that is removed next was already kept. */
  knownTree: string | undefined;

  constructor(host: RecorderHost, about: ChangeAbout) {
    this.#host = host;
    this.#about = about;
  }

  /** The id of the change; undefined while nothing was changed, or nothing could be noted. */
  get id(): string | undefined {
    return this.#begun?.id;
  }

  async record(plan: Plan, signal?: AbortSignal): Promise<Recording> {
    let project: OpenProject;
    try {
      project = this.#begun?.project ?? this.#host.open(plan.path, needsStore(plan));
    } catch (error) {
      this.#giveUp(plan.path, error);
      return NOTHING;
    }
    return plan.kind === 'take-tree'
      ? this.#takeTree(project, plan, signal)
      : this.#recordStep(project, plan);
  }

  /** Adds a step that was made before it could be noted. */
  note(path: string, steps: readonly Step[], notes: readonly string[]): void {
    this.#notes.push(...notes);
    if (steps.length === 0) return;
    try {
      this.#append(this.#begun?.project ?? this.#host.open(path, false), steps);
    } catch (error) {
      this.#giveUp(path, error);
    }
  }

  /** Says that the change is complete. */
  finish(): void {
    const begun = this.#begun;
    if (begun === undefined) return;
    const { id, failed, project } = begun;
    try {
      project.journal.append({
        type: 'end',
        id,
        ...(failed.length > 0 && { failed }),
        ...(this.#counted.length > 0 && { counted: this.#counted }),
        ...(this.#notes.length > 0 && { notes: this.#notes }),
      });
    } catch (error) {
      // The change itself is noted; without this line it counts as cut off.
      this.#host.complain(error);
    }
    this.#host.ended();
  }

  async #recordStep(project: OpenProject, plan: Exclude<Plan, { kind: 'take-tree' }>): Promise<Recording> {
    const step = await this.#describe(project, plan);
    const index = this.#tryAppend(project, step);
    return index === undefined ? NOTHING : this.#recording(index);
  }

  async #describe(project: OpenProject, plan: Exclude<Plan, { kind: 'take-tree' }>): Promise<Step> {
    const { path } = plan;
    switch (plan.kind) {
      case 'put': {
        const before = await this.#keep(project, path, plan.prior);
        return { path, before, after: await nextState(plan.next, plan.prior) };
      }
      case 'move': {
        const before = await this.#keep(project, path, plan.prior);
        return { from: plan.from, path, moved: await stateOf(plan.moved, this.#host.maxFileBytes), before };
      }
      case 'put-tree':
        return { path, before: ABSENT, after: { kind: 'tree', ...plan.tree } };
    }
  }

  /** Keeps what is there, and says what it is. */
  async #keep(project: OpenProject, path: string, prior: Prior | undefined): Promise<EntryState> {
    if (prior === undefined) return ABSENT;
    if (!prior.stats.isFile()) {
      const state = await stateOf(prior, 0);
      if (state.kind === 'other') this.#refuseIfRequired(path, 'it is not a regular file, folder or link');
      return state;
    }
    try {
      const fd = prior.open();
      try {
        const stats = fstatSync(fd);
        const mode = stats.mode & PERMISSION_BITS;
        if (stats.size > this.#host.maxFileBytes) {
          this.#refuseIfRequired(path, 'it is larger than the history keeps');
          return { kind: 'file', size: stats.size, mode, lost: 'too-large' };
        }
        return { kind: 'file', mode, ...(await keepContent(project, fd, stats, prior.name)) };
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      this.#giveUp(path, error);
      const { size, mode } = prior.stats;
      return { kind: 'file', size, mode: mode & PERMISSION_BITS, lost: 'not-kept' };
    }
  }

  async #takeTree(
    project: OpenProject,
    plan: Plan & { readonly kind: 'take-tree' },
    signal: AbortSignal | undefined,
  ): Promise<Recording> {
    const { path, child } = plan;
    const { trees } = project;
    const name = this.#treeName(trees);
    const options = {
      maxFileBytes: this.#host.maxFileBytes,
      check: (relative: string) => plan.check(relative),
      signal,
    };
    const before: TreeState = { kind: 'tree', tree: name, files: 0, bytes: 0 };
    // Noted before it is moved; what is in it is counted afterwards, when it is safe in the store.
    const index = this.#tryAppend(project, { path, before, after: ABSENT });
    if (index === undefined) return NOTHING;
    const recording = this.#recording(index);
    const taken = trees.move(child, name);
    try {
      const kept = taken ? await trees.settle(name, options) : await trees.copy(child, name, options);
      this.#counted.push({ step: index, files: kept.files, bytes: kept.bytes, ...lost(kept.lost) });
      if (kept.lost.length > 0) this.#refuseIfRequired(path, `${kept.lost.length} files in it are too large`);
      // A copied folder is removed file by file: if that fails halfway, the copy is still needed.
      return taken ? { ...recording, taken } : { ...NOTHING };
    } catch (error) {
      if (taken) trees.moveBack(name, child);
      const isRefused = taken || error instanceof RootwardError || signal?.aborted === true;
      if (isRefused || this.#host.required) recording.failed();
      if (isRefused) throw error;
      this.#giveUp(path, error);
      // The folder is removed all the same. The step stays, and an undo finds that nothing of it was kept.
      return NOTHING;
    }
  }

  /** A tree that is kept a second time gets the same name, so that older entries still find it. */
  #treeName(trees: OpenProject['trees']): string {
    const known = this.knownTree;
    this.knownTree = undefined;
    return known === undefined || trees.has(known) ? this.#host.newId() : known;
  }

  #recording(index: number): Recording {
    return { taken: false, done: () => undefined, failed: () => void this.#begun?.failed.push(index) };
  }

  #tryAppend(project: OpenProject, step: Step): number | undefined {
    try {
      return this.#append(project, [step]);
    } catch (error) {
      this.#giveUp(step.path, error);
      return undefined;
    }
  }

  #append(project: OpenProject, steps: readonly Step[]): number {
    const at = this.#host.now();
    const begun = this.#begun;
    if (begun === undefined) {
      const id = this.#host.newId();
      project.journal.append({ type: 'change', id, at, ...this.#about, steps });
      this.#begun = { id, project, steps: steps.length, failed: [] };
      return 0;
    }
    project.journal.append({ type: 'steps', id: begun.id, at, first: begun.steps, steps });
    const first = begun.steps;
    begun.steps += steps.length;
    return first;
  }

  /** Continues without keeping, or refuses the change, depending on the mode. */
  #giveUp(path: string, error: unknown): void {
    if (error instanceof RootwardError && error.code === 'not-kept') throw error;
    this.#refuseIfRequired(path, error instanceof Error ? error.message : String(error), error);
    this.#host.complain(error);
  }

  #refuseIfRequired(path: string, reason: string, cause?: unknown): void {
    if (!this.#host.required) return;
    throw new RootwardError(
      'not-kept',
      `Cannot change ${quotePath(path)}: what is there cannot be kept in the history (${reason})`,
      { path, cause, instruction: ONLY_WHAT_CAN_BE_TAKEN_BACK },
    );
  }
}

/** A small content goes into the journal, in the line that is written anyway. */
async function keepContent(
  { contents }: OpenProject,
  fd: number,
  { size }: Stats,
  name: string | undefined,
): Promise<Pick<FileState, 'size' | 'hash' | 'text' | 'base64'>> {
  if (size > MAX_INLINE_BYTES) return contents.keep(fd, size, name);
  const bytes = readSmall(fd, size);
  contents.added += bytes.length;
  return { size: bytes.length, hash: hashOf(bytes), ...inlineContent(bytes) };
}

/** Whether more than a line in the journal is needed to keep what is there. */
function needsStore(plan: Plan): boolean {
  if (plan.kind === 'take-tree') return true;
  return plan.kind !== 'put-tree' && (plan.prior?.stats.size ?? 0) > MAX_INLINE_BYTES;
}

function lost(paths: readonly string[]): Pick<TreeState, 'lost'> {
  return paths.length === 0 ? {} : { lost: paths };
}

/** What is there, without keeping it. A file of up to `maxHashed` bytes is identified by its hash. */
async function stateOf(prior: Prior, maxHashed: number): Promise<EntryState> {
  const { stats } = prior;
  const mode = stats.mode & PERMISSION_BITS;
  if (stats.isSymbolicLink()) return { kind: 'link', target: prior.target() };
  if (stats.isDirectory()) return { kind: 'directory', mode };
  if (!stats.isFile()) return { kind: 'other', mode };
  const plain: FileState = { kind: 'file', size: stats.size, mode };
  if (stats.size > maxHashed) return plain;
  try {
    const fd = prior.open();
    try {
      return { ...plain, ...(await hashDescriptor(fd)) };
    } finally {
      closeSync(fd);
    }
  } catch {
    // Moving needs no right to read.
    return plain;
  }
}

async function nextState(next: Next, prior: Prior | undefined): Promise<EntryState> {
  if (next.kind === 'directory')
    return { kind: 'directory', ...(next.mode !== undefined && { mode: next.mode }) };
  if (next.kind !== 'file') return next;
  const { content, mode } = next;
  if (typeof content === 'number') return { kind: 'file', mode, ...(await hashDescriptor(content)) };
  if (next.appended !== true || prior === undefined) {
    return { kind: 'file', mode, hash: hashOf(content), size: content.length };
  }
  const fd = prior.open();
  try {
    return { kind: 'file', mode, ...(await hashDescriptor(fd, content)) };
  } finally {
    closeSync(fd);
  }
}
