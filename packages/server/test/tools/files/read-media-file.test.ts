import { expect, test } from 'vitest';
import { mediaType } from '../../../src/tools/files/read-media-file.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../../fixtures/tools-client.js';

const BYTES = new Uint8Array([0, 1, 2, 250]);
const DATA = Buffer.from(BYTES).toString('base64');
const tree = makeTree({ 'a.PNG': BYTES, 'a.mp3': BYTES, 'a b.pdf': BYTES, plain: BYTES });
const workspace = { environment: {}, home: '/nonexistent', roots: [tree.top] };

test.each(ERAS)('read_media_file gives images, audio and other files as what they are (%s)', async (era) => {
  const { call, close } = await connectTools({ era, workspace });
  const read = async (path: string): Promise<unknown> => {
    const result = await call('read_media_file', { path });
    expect(result.structuredContent).toBeUndefined();
    return result.content;
  };
  expect(await read('a.PNG')).toEqual([{ type: 'image', data: DATA, mimeType: 'image/png' }]);
  expect(await read('a.mp3')).toEqual([{ type: 'audio', data: DATA, mimeType: 'audio/mpeg' }]);
  expect(await read('a b.pdf')).toEqual([
    {
      type: 'resource',
      resource: { uri: tree.uri('a b.pdf'), mimeType: 'application/pdf', blob: DATA },
    },
  ]);
  expect(await read('plain')).toMatchObject([{ resource: { mimeType: 'application/octet-stream' } }]);
  await close();
});

test('read_media_file refuses more than 7 MB', async () => {
  tree.add({ 'large.png': new Uint8Array(7 * 1024 * 1024 + 1) });
  const { call, close } = await connectTools({ workspace });
  expect(reportOf(await call('read_media_file', { path: 'large.png' }))).toMatchObject({
    error_type: 'too_large',
  });
  await close();
});

test.each([
  ['a.ts', 'text/typescript'],
  ['a.flac', 'audio/flac'],
  ['a.wav', 'audio/wav'],
  ['a.svg', 'image/svg+xml'],
  ['a.unheard-of', 'application/octet-stream'],
])('mediaType() of %s is %s', async (name, type) => {
  expect(await mediaType(name)).toBe(type);
});
