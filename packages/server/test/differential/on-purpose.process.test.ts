import { readFileSync, symlinkSync } from 'node:fs';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectReference } from '../fixtures/reference-server.js';
import { closePair, connectPair, edit, fill, plant, PNG } from '../fixtures/server-pair.js';
import type { Call, Pair } from '../fixtures/server-pair.js';
import { makeTree } from '../fixtures/temp-tree.js';

/** Where ours differs on purpose. Each row is checked against both servers. */
interface Difference {
  readonly what: string;
  readonly reason: string;
  /** Calls before the one that differs. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly call: Call;
  readonly reference: (result: CallToolResult) => unknown;
  readonly own: (result: CallToolResult) => unknown;
}

const textIs =
  (expected: unknown) =>
  ({ content, isError }: CallToolResult): void => {
    expect([isError ?? false, content[0]]).toEqual([false, { type: 'text', text: expected }]);
  };
const fails = ({ isError }: CallToolResult): void => expect(isError).toBe(true);
const succeeds = ({ isError }: CallToolResult): void => expect(isError ?? false).toBe(false);

const DIFFERENCES: readonly Difference[] = [
  {
    what: 'tail counts lines',
    reason: 'a newline at the end closes the last line; the reference server counts an empty line after it',
    call: ['read_text_file', { path: '<root>/one.txt', tail: 2 }],
    reference: textIs('three\n'),
    own: textIs('two\nthree\n'),
  },
  {
    what: 'tail keeps line ends',
    reason: 'a reader who edits needs to know what is there',
    files: { 'crlf.txt': 'a\r\nb' },
    call: ['read_text_file', { path: '<root>/crlf.txt', tail: 5 }],
    reference: textIs('a\nb'),
    own: textIs('a\r\nb'),
  },
  {
    what: 'a byte order mark is not part of the text',
    reason: 'it marks the encoding; edit_file keeps it',
    files: { 'bom.txt': '\uFEFFx' },
    call: ['read_text_file', { path: '<root>/bom.txt' }],
    reference: textIs('\uFEFFx'),
    own: textIs('x'),
  },
  {
    what: 'what is not UTF-8 is refused as text',
    reason: 'text that is guessed is text that is damaged, and an edit of it destroys the file',
    files: { 'latin1.txt': new Uint8Array([0x6b, 0xe4, 0x73, 0x65]) },
    call: ['read_text_file', { path: '<root>/latin1.txt' }],
    reference: textIs('k\uFFFDse'),
    own: fails,
  },
  {
    what: 'media types of all common endings are known',
    reason: 'the reference server has a list of eleven',
    files: { 'doc.pdf': PNG },
    call: ['read_media_file', { path: '<root>/doc.pdf' }],
    reference: ({ content }) =>
      expect(content).toMatchObject([{ resource: { mimeType: 'application/octet-stream' } }]),
    own: ({ content }) => expect(content).toMatchObject([{ resource: { mimeType: 'application/pdf' } }]),
  },
  {
    what: 'an edit that matches in several places is refused',
    reason: 'the reference server silently edits the first',
    files: { 'twice.txt': 'x\nx\n' },
    call: ['edit_file', { path: '<root>/twice.txt', edits: [edit('x', 'y')] }],
    reference: succeeds,
    own: fails,
  },
  {
    what: 'all new lines are indented like the file',
    reason: 'the reference server indents the first, and leaves the others to chance',
    files: { 'indented.js': '{\n    if (x) {\n        y();\n    }\n}\n' },
    call: [
      'edit_file',
      { path: '<root>/indented.js', edits: [edit('if (x) {\n  y();\n}', 'if (z) {\n  w();\n}')] },
    ],
    reference: textIs(expect.stringContaining('\n+    if (z) {\n+    w();\n')),
    own: textIs(expect.stringContaining('\n+    if (z) {\n+        w();\n')),
  },
  {
    what: 'a diff has the path that was asked for',
    reason: 'a patch with a relative path can be applied where it is',
    files: { 'asked.txt': 'a\n' },
    call: ['edit_file', { path: 'asked.txt', edits: [edit('a', 'b')], dryRun: true }],
    reference: textIs(expect.stringMatching(/\n--- \/.*\/asked\.txt\toriginal\n/)),
    own: textIs(expect.stringContaining('\n--- asked.txt\toriginal\n')),
  },
  {
    what: 'text that is not valid Unicode is refused',
    reason: 'half a character pair cannot be written, and what would be is not what was asked for',
    call: ['write_file', { path: '<root>/half.txt', content: 'a\ud800' }],
    reference: succeeds,
    own: fails,
  },
  {
    what: 'an edit with an empty oldText is refused',
    reason: 'the reference server puts the new text at the start of the file',
    call: ['edit_file', { path: '<root>/one.txt', edits: [edit('', 'y')] }],
    reference: succeeds,
    own: fails,
  },
  {
    what: 'a blank oldText that does not match exactly is not found',
    reason: 'blank lines say nothing about which place is meant',
    call: ['edit_file', { path: '<root>/dir/other.ts', edits: [edit('\t', 'y')] }],
    reference: succeeds,
    own: fails,
  },
  {
    what: 'a link out of the roots has no size',
    reason: 'what it leads to is out of scope, and so is its size',
    call: ['list_directory_with_sizes', { path: '<root>/links' }],
    reference: textIs(expect.stringContaining('Combined size: 6 B')),
    own: textIs(expect.stringContaining('Combined size: 0 B')),
  },
  {
    what: 'a negated extended glob is matched by other rules',
    reason: 'picomatch, which core already uses for its rules, and minimatch disagree about these alone',
    call: ['search_files', { path: '<root>', pattern: '!(one).txt' }],
    reference: textIs(expect.stringContaining('one.txt')),
    own: textIs(expect.not.stringContaining('/one.txt')),
  },
  {
    what: 'a dot before a glob means nothing',
    reason: 'picomatch again: it is what who writes it means',
    call: ['search_files', { path: '<root>', pattern: './one.*' }],
    reference: textIs('No matches found'),
    own: textIs(expect.stringMatching(/\/one\.txt$/)),
  },
  {
    what: 'two stars before an ending cross folders',
    reason: 'picomatch again: minimatch takes them for one',
    call: ['search_files', { path: '<root>', pattern: '**.ts' }],
    reference: textIs('No matches found'),
    own: textIs(expect.stringContaining('/dir/other.ts')),
  },
  {
    what: 'a group needs no mark before it',
    reason: 'picomatch again: minimatch takes the parentheses for characters',
    call: ['search_files', { path: '<root>', pattern: '(one|two).txt' }],
    reference: textIs('No matches found'),
    own: textIs(expect.stringMatching(/\/one\.txt$/)),
  },
  {
    what: 'a name in brackets matches itself',
    reason: 'picomatch again: who copies a path means that path',
    files: { '[x]/y.txt': '' },
    call: ['search_files', { path: '<root>', pattern: '[x]/*' }],
    reference: textIs('No matches found'),
    own: textIs(expect.stringMatching(/\/\[x\]\/y\.txt$/)),
  },
  {
    what: 'folders above are not resolved in a glob',
    reason: 'picomatch again: what is matched never has them',
    call: ['search_files', { path: '<root>', pattern: 'dir/../one.txt' }],
    reference: textIs(expect.stringMatching(/\/one\.txt$/)),
    own: textIs('No matches found'),
  },
  {
    what: 'groups that repeat are refused in a glob',
    reason: 'they can take minutes, and hold up everything else meanwhile',
    call: ['search_files', { path: '<root>', pattern: '+(one|two).txt' }],
    reference: textIs(expect.stringMatching(/\/one\.txt$/)),
    own: fails,
  },
  {
    what: 'a negative number of lines is refused',
    reason: 'it can only be a mistake',
    call: ['read_text_file', { path: '<root>/one.txt', head: -1 }],
    reference: textIs(''),
    own: fails,
  },
  {
    what: 'a part of a line is refused',
    reason: 'it can only be a mistake',
    files: { 'lines.txt': 'one\ntwo\nthree\n' },
    call: ['read_text_file', { path: '<root>/lines.txt', head: 1.5 }],
    reference: textIs('one\ntwo'),
    own: fails,
  },
  {
    what: 'a path that ends in a slash is not that of a file',
    reason: 'nor is it for the system',
    files: { 'lines.txt': 'one\ntwo\n' },
    call: ['read_text_file', { path: '<root>/lines.txt/' }],
    reference: textIs('one\ntwo\n'),
    own: fails,
  },
  {
    what: 'an empty glob is refused',
    reason: 'it can only be a mistake',
    call: ['search_files', { path: '<root>', pattern: '' }],
    reference: textIs('No matches found'),
    own: fails,
  },
  {
    what: 'a name in another Unicode form is another file',
    reason: 'it is, on this disk; guessing which one is meant may hit the wrong one',
    files: { 'caf\u00e9.txt': 'x' },
    call: ['read_text_file', { path: '<root>/cafe\u0301.txt' }],
    reference: succeeds,
    own: fails,
  },
  {
    what: 'a file: URI is a path',
    reason: 'clients hand out URIs',
    call: ['read_text_file', { path: 'file://<root>/one.txt' }],
    reference: fails,
    own: textIs('one\ntwo\nthree\n'),
  },
];

describe('on purpose', () => {
  const tree = makeTree();
  const roots = { reference: tree.path('reference'), own: tree.path('own') };
  let pair: Pair;
  beforeAll(async () => {
    for (const name of ['reference', 'own']) {
      plant(tree, name);
      tree.add({ [`${name}/links/`]: '' });
      symlinkSync(tree.path('outside/secret.txt'), tree.path(name, 'links/out'));
    }
    pair = await connectPair(roots.reference, roots.own);
  });
  afterAll(() => closePair(pair));

  test.each(DIFFERENCES)('$what', async ({ reason, files = {}, call, reference, own }) => {
    expect(reason).not.toBe('');
    const [tool, args] = call;
    for (const name of ['reference', 'own']) {
      tree.add(
        Object.fromEntries(Object.entries(files).map(([file, content]) => [`${name}/${file}`, content])),
      );
    }
    reference(await pair.reference.call(tool, fill(args, roots.reference)));
    own(await pair.own.call(tool, fill(args, roots.own)));
  });

  test('a link is moved itself: the reference server moves what it leads to, and leaves it dangling', async () => {
    for (const name of ['reference', 'own']) {
      tree.add({ [`${name}/target.txt`]: 'target' });
      symlinkSync('target.txt', tree.path(name, 'link'));
    }
    const args = { source: '<root>/link', destination: '<root>/moved' };
    succeeds(await pair.reference.call('move_file', fill(args, roots.reference)));
    succeeds(await pair.own.call('move_file', fill(args, roots.own)));
    const target = { path: '<root>/target.txt' };
    fails(await pair.reference.call('read_text_file', fill(target, roots.reference)));
    succeeds(await pair.own.call('read_text_file', fill(target, roots.own)));
  });

  test('an edit changes nothing else: the reference server writes other line ends, and damages other encodings', async () => {
    const latin1 = new Uint8Array([0x6b, 0xe4, 0x73, 0x65]);
    for (const name of ['reference', 'own']) {
      tree.add({ [`${name}/ends.txt`]: 'a\r\nb\r\n', [`${name}/other.txt`]: latin1 });
    }
    const changeEnds = { path: '<root>/ends.txt', edits: [edit('a', 'c')] };
    succeeds(await pair.reference.call('edit_file', fill(changeEnds, roots.reference)));
    succeeds(await pair.own.call('edit_file', fill(changeEnds, roots.own)));
    expect(readFileSync(tree.path('reference/ends.txt'), 'utf8')).toBe('c\nb\n');
    expect(readFileSync(tree.path('own/ends.txt'), 'utf8')).toBe('c\r\nb\r\n');
    const changeOther = { path: '<root>/other.txt', edits: [edit('se', 'ze')] };
    succeeds(await pair.reference.call('edit_file', fill(changeOther, roots.reference)));
    fails(await pair.own.call('edit_file', fill(changeOther, roots.own)));
    expect(readFileSync(tree.path('reference/other.txt'), 'utf8')).toBe('k\uFFFDze');
    expect(new Uint8Array(readFileSync(tree.path('own/other.txt')))).toEqual(latin1);
  });

  test('a file that would break the connection is refused: official clients end it on a line of 10 MB', async () => {
    for (const name of ['reference', 'own']) tree.add({ [`${name}/large.txt`]: 'x'.repeat(9 * 1024 * 1024) });
    const reference = await connectReference(roots.reference, roots.reference);
    const args = { path: 'large.txt' };
    await expect(reference.call('read_text_file', args)).rejects.toThrow('Connection closed');
    fails(await pair.own.call('read_text_file', args));
    succeeds(await pair.own.call('read_text_file', { ...args, path: 'one.txt' }));
    await reference.close();
  });

  test('text is not repeated as structured content, since clients that show the latter would hide the former', async () => {
    const args = { path: 'one.txt' };
    expect((await pair.reference.call('read_text_file', args)).structuredContent).toBeDefined();
    expect((await pair.own.call('read_text_file', args)).structuredContent).toBeUndefined();
  });

  test('lists come with structured content that has fields, not the text again', async () => {
    const args = { path: 'empty-dir' };
    expect((await pair.reference.call('list_directory', args)).structuredContent).toEqual({ content: '' });
    expect((await pair.own.call('list_directory', args)).structuredContent).toEqual({ entries: [] });
  });
});
