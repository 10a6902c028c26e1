import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../error.js';

export interface FileEdits {
  readonly uri: string;
  readonly edits: readonly TextEdit[];
}

/** The edits of a server's answer by file. Creating, moving and deleting files is refused: a rename changes text only. */
export function readWorkspaceEdit(edit: WorkspaceEdit): readonly FileEdits[] {
  const files = new Map<string, TextEdit[]>();
  const add = (uri: string, edits: readonly TextEdit[]): void => {
    files.set(uri, [...(files.get(uri) ?? []), ...edits]);
  };
  for (const change of edit.documentChanges ?? []) {
    if (!('textDocument' in change)) {
      throw new RootwardLspError(
        'edit-refused',
        `Cannot rename: the server wants to ${change.kind} a file, which is not done here`,
      );
    }
    add(change.textDocument.uri, change.edits.map(plainEdit));
  }
  if (edit.documentChanges === undefined) {
    for (const [uri, edits] of Object.entries(edit.changes ?? {})) add(uri, edits);
  }
  return [...files].map(([uri, edits]) => ({ uri, edits }));
}

function plainEdit(edit: object): TextEdit {
  if ('range' in edit && 'newText' in edit) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is a range was checked by nobody; offsets of it are cut to the text
    return edit as TextEdit;
  }
  throw new RootwardLspError('edit-refused', 'Cannot rename: the server sent an edit of an unknown kind');
}
