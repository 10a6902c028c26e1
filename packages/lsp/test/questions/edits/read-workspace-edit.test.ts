import { expect, test } from 'vitest';
import type { WorkspaceEdit } from 'vscode-languageserver-protocol';
import { readWorkspaceEdit } from '../../../src/questions/edits/read-workspace-edit.js';

const uri = 'file:///a';
const start = { line: 0, character: 0 };
const good = { range: { start, end: { line: 0, character: 4 } }, newText: 'new' };

/** As it comes over the wire, where nothing keeps a server to the protocol. */
function read(edit: unknown): unknown {
  return readWorkspaceEdit(edit as WorkspaceEdit);
}

test('readWorkspaceEdit() reads either form, and takes null for what is left out', () => {
  const document = { textDocument: { uri, version: 1 }, edits: [good] };
  const expected = [{ uri, edits: [good] }];
  expect(read({ changes: { [uri]: [good] } })).toEqual(expected);
  expect(read({ documentChanges: [document] })).toEqual(expected);
  expect(read({ documentChanges: [document], changes: { [uri]: [good] } })).toEqual(expected);
  expect(read({ documentChanges: null, changes: { [uri]: [good] } })).toEqual(expected);
  expect(read({ documentChanges: [document], changes: null })).toEqual(expected);
});

test.each([
  ['a text that is none', { ...good, newText: 5 }],
  ['no range', { newText: 'new' }],
  ['half a range', { ...good, range: { start } }],
  ['a line that is text', { ...good, range: { ...good.range, start: { line: '0', character: 0 } } }],
  ['a line before the first', { ...good, range: { ...good.range, start: { line: -1, character: 0 } } }],
  ['half a character', { ...good, range: { ...good.range, start: { line: 0, character: 0.5 } } }],
  ['nothing', null],
])('readWorkspaceEdit() refuses an edit with %s', (_what, bad) => {
  const refused = expect.objectContaining({ code: 'edit-refused' });
  expect(() => read({ changes: { [uri]: [good, bad] } })).toThrow(refused);
  expect(() => read({ documentChanges: [{ textDocument: { uri }, edits: [bad] }] })).toThrow(refused);
});
