import { isUtf8 } from 'node:buffer';
import { hashOf } from '../../scope/recording/content-hash.js';
import type { ContentStore } from '../store/content-store.js';
import type { EntryState, FileState } from './entry-state.js';

/**
 * Up to this size a former content is kept in the journal line itself. A file of its own would take a block of this size
 * on most disks, and making one costs more than all the rest of keeping a change.
 */
export const MAX_INLINE_BYTES = 4096;

/** A content in a journal line: as text where it is text, so that the line stays short. */
type InlineContent = Required<Pick<FileState, 'text'>> | Required<Pick<FileState, 'base64'>>;

export function inlineContent(bytes: Buffer): InlineContent {
  return isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
}

/** The content that stands beside a state, checked against its hash; undefined where there is none, or another one. */
export function inlineBytes(state: EntryState): Buffer | undefined {
  if (state.kind !== 'file') return undefined;
  const { text, base64, hash } = state;
  const bytes =
    text === undefined
      ? base64 === undefined
        ? undefined
        : Buffer.from(base64, 'base64')
      : Buffer.from(text);
  return bytes !== undefined && hashOf(bytes) === hash ? bytes : undefined;
}

/** Whether the content of a former state is kept, in its journal line or in a file of its own. */
export function isKept(state: FileState, contents: ContentStore): boolean {
  if (state.lost !== undefined || state.hash === undefined) return false;
  return inlineBytes(state) !== undefined || contents.has(state.hash);
}

/** The content of a state, checked against its hash. */
export async function readKept(state: FileState, contents: ContentStore): Promise<Buffer | undefined> {
  const inline = inlineBytes(state);
  return inline !== undefined || state.hash === undefined ? inline : contents.read(state.hash);
}

/** How much of a journal line is content. */
export function inlineLength(state: EntryState): number {
  return state.kind === 'file' ? (state.text ?? state.base64 ?? '').length : 0;
}
