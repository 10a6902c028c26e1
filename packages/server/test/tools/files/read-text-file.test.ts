import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, notesOf, reportOf, textOf } from '../../fixtures/tools-client.js';

const tree = makeTree({ 'f.txt': 'one\ntwo\nthree\n', 'crlf.txt': 'a\r\nb\r\nc', 'bom.txt': '\uFEFFx' });
const workspace = { environment: {}, home: '/nonexistent', roots: [tree.top] };

test.each(ERAS)('read_text_file sends the text once, as text (%s)', async (era) => {
  const { call, close } = await connectTools({ era, workspace });
  for (const name of ['read_text_file', 'read_file']) {
    const result = await call(name, { path: 'f.txt' });
    expect(result.content).toEqual([{ type: 'text', text: 'one\ntwo\nthree\n' }]);
    expect(result.structuredContent).toBeUndefined();
  }
  await close();
});

test.each([
  [{ head: 2 }, 'one\ntwo'],
  [{ head: 9 }, 'one\ntwo\nthree'],
  [{ tail: 1 }, 'three\n'],
  [{ tail: 2 }, 'two\nthree\n'],
  [{ offset: 1 }, 'two\nthree\n'],
  [{ offset: 1, limit: 1 }, 'two\n'],
  [{ limit: 1 }, 'one\n'],
  [{ offset: 9 }, ''],
  [{ head: 0 }, 'one\ntwo\nthree\n'],
])('read_text_file with %j gives %j', async (range, expected) => {
  const { text, close } = await connectTools({ workspace });
  expect(await text('read_text_file', { path: 'f.txt', ...range })).toBe(expected);
  await close();
});

test('read_text_file keeps line endings and leaves out a byte order mark', async () => {
  const { text, close } = await connectTools({ workspace });
  expect(await text('read_text_file', { path: 'crlf.txt' })).toBe('a\r\nb\r\nc');
  expect(await text('read_text_file', { path: 'bom.txt' })).toBe('x');
  await close();
});

test.each([
  [{ head: 1, tail: 1 }, 'head and tail'],
  [{ head: 1, offset: 1 }, 'head and offset'],
  [{ tail: 1, limit: 1 }, 'tail and limit'],
])('read_text_file refuses %j', async (range, culprits) => {
  const { call, close } = await connectTools({ workspace });
  expect(reportOf(await call('read_text_file', { path: 'f.txt', ...range }))).toMatchObject({
    error_type: 'invalid_option',
    message: `Cannot read lines: ${culprits} are both given`,
    instruction: 'Pass one of head, tail, or offset and limit',
  });
  await close();
});

test('read_text_file says that a file ends before the lines that were asked for', async () => {
  const { call, close } = await connectTools({ workspace });
  const notes = async (range: Record<string, number>): Promise<unknown> =>
    (await call('read_text_file', { path: 'f.txt', ...range })).content.slice(1);
  expect(await notes({ offset: 100, limit: 2 })).toEqual([
    { type: 'text', text: '[the file has no more than 100 lines]' },
  ]);
  expect([await notes({ offset: 1 }), await notes({ offset: 1, limit: 0 })]).toEqual([[], []]);
  await close();
});

test('read_text_file refuses a whole file above 8 MB, and reads lines of it', async () => {
  const line = `${'x'.repeat(1023)}\n`;
  tree.add({ 'large.txt': line.repeat(9 * 1024) });
  const { call, text, close } = await connectTools({ workspace });
  expect(reportOf(await call('read_text_file', { path: 'large.txt' }))).toMatchObject({
    error_type: 'too_large',
    instruction: expect.stringMatching(/head/),
  });
  expect(await text('read_text_file', { path: 'large.txt', offset: 9000, limit: 2 })).toBe(line.repeat(2));
  const cut = await call('read_text_file', { path: 'large.txt', offset: 0 });
  expect(textOf(cut)).toHaveLength(8 * 1024 * 1024);
  expect(notesOf(cut)).toEqual([expect.stringMatching(/^\[the end of this range is left out/)]);
  await close();
});

test('read_text_file refuses what is not text', async () => {
  tree.add({ 'f.bin': new Uint8Array([0xff, 0xfe]) });
  const { call, close } = await connectTools({ workspace });
  expect(reportOf(await call('read_text_file', { path: 'f.bin' }))).toMatchObject({ error_type: 'not_text' });
  await close();
});

test('read_text_file refuses a text that no client could take once it is escaped', async () => {
  tree.add({ 'controls.txt': '\u0001'.repeat(2 * 1024 * 1024) });
  const { call, close } = await connectTools({ workspace });
  expect(reportOf(await call('read_text_file', { path: 'controls.txt' }))).toMatchObject({
    error_type: 'too_large',
  });
  await close();
});
