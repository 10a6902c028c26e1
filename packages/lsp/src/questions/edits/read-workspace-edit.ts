import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver-protocol';
import { isObject } from '@rootward/core/platform';
import { RootwardLspError } from '../../error.js';

export interface FileEdits {
  readonly uri: string;
  readonly edits: readonly TextEdit[];
}

/** The edits of a server's answer by file. Creating, moving and deleting files is refused: a rename changes text only. */
export function readWorkspaceEdit(edit: WorkspaceEdit): readonly FileEdits[] {
  const files = new Map<string, TextEdit[]>();
  const add = (uri: string, edits: readonly unknown[]): void => {
    files.set(uri, [...(files.get(uri) ?? []), ...edits.map(plainEdit)]);
  };
  // Some servers write `null` for what they leave out.
  const documentChanges = edit.documentChanges ?? undefined;
  for (const change of documentChanges ?? []) {
    if (!('textDocument' in change)) {
      throw new RootwardLspError(
        'edit-refused',
        `Cannot rename: the server wants to ${change.kind} a file, and a rename may only change text`,
      );
    }
    add(change.textDocument.uri, change.edits);
  }
  if (documentChanges === undefined) {
    for (const [uri, edits] of Object.entries(edit.changes ?? {})) add(uri, edits);
  }
  return [...files].map(([uri, edits]) => ({ uri, edits }));
}

/** Anything else would change a file in the wrong place. */
function plainEdit(edit: unknown): TextEdit {
  if (isTextEdit(edit)) return edit;
  throw new RootwardLspError('edit-refused', 'Cannot rename: the server sent an edit of an unknown kind');
}

function isTextEdit(edit: unknown): edit is TextEdit {
  if (!isObject(edit) || typeof edit['newText'] !== 'string') return false;
  const { range } = edit;
  return isObject(range) && isPlace(range['start']) && isPlace(range['end']);
}

function isPlace(place: unknown): boolean {
  return isObject(place) && isCount(place['line']) && isCount(place['character']);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
