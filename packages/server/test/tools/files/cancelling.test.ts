import { Scope, type Snapshot } from '@rootward/core';
import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools } from '../../fixtures/tools-client.js';
import { eventually } from '../../../../../testing/eventually.js';

const tree = makeTree({ 'f.txt': 'start' });

test.each([
  ['read_multiple_files', { paths: Array.from({ length: 20_000 }, (_, index) => `missing ${index}`) }],
  [
    'edit_file',
    { path: 'f.txt', edits: Array.from({ length: 100_000 }, () => ({ oldText: 'start', newText: 'start' })) },
  ],
])('%s hears of being cancelled, however much it has to do', async (name, args) => {
  const stop = new AbortController();
  const createScope = ({ roots }: Snapshot): Scope => {
    // In the next turn, if there is one before all is done.
    setImmediate(() => stop.abort());
    return new Scope({ roots });
  };
  const workspace = { environment: {}, home: '/nonexistent', roots: [tree.top], createScope };
  const { client, audit, close } = await connectTools({ workspace });
  const call = client.callTool({ name, arguments: args }, { signal: stop.signal });
  await expect(call).rejects.toThrow('aborted');
  await eventually(() => expect(audit.some(({ reason }) => reason === 'cancelled')).toBe(true));
  await close();
});
