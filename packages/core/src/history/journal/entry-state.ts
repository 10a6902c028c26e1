/** Why the content of a file is not there to be restored. */
type Loss = 'too-large' | 'not-kept';

export interface FileState {
  readonly kind: 'file';
  readonly size: number;
  /** Permission bits, such as 0o644. */
  readonly mode: number;
  /** SHA-256 of the content, and its name in the store; missing where it was not read. */
  readonly hash?: string;
  /** Of a former state that is small: its content, as text or else in base64. It is not in the store then. */
  readonly text?: string;
  readonly base64?: string;
  /** Of a former state: why it cannot be restored. */
  readonly lost?: Loss;
}

/** A folder by itself, without what is in it. */
interface FolderState {
  readonly kind: 'directory';
  readonly mode?: number;
}

interface LinkState {
  readonly kind: 'link';
  readonly target: string;
}

/** A folder with all that is in it. */
export interface TreeState {
  readonly kind: 'tree';
  /** Its name in the store. */
  readonly tree?: string;
  /** A digest that identifies the tree, for one that was put in place. */
  readonly digest?: string;
  readonly files: number;
  readonly bytes: number;
  /** Files in it that were not kept, relative to it. */
  readonly lost?: readonly string[];
}

/** A pipe, a socket or a device: it can be moved back, but not made again. */
interface OtherState {
  readonly kind: 'other';
  readonly mode: number;
}

export interface AbsentState {
  readonly kind: 'absent';
}

/** What is at a path, was there, or will be there. */
export type EntryState = AbsentState | FileState | FolderState | LinkState | OtherState | TreeState;

export const ABSENT: AbsentState = { kind: 'absent' };

/** One path goes from one state to another. */
export interface PutStep {
  readonly path: string;
  readonly before: EntryState;
  readonly after: EntryState;
}

/** What is at one path goes to another, which may hold something before. */
export interface MoveStep {
  readonly from: string;
  readonly path: string;
  readonly moved: EntryState;
  readonly before: EntryState;
}

/** One part of a change. */
export type Step = PutStep | MoveStep;

/** Whether a step moves something. */
export function isMove(step: Step): step is MoveStep {
  return 'from' in step;
}

/** The paths a step touches. */
export function pathsOf(step: Step): readonly string[] {
  return isMove(step) ? [step.from, step.path] : [step.path];
}
