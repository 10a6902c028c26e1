import { silent } from '@rootward/mcp/testing';
import { expect, test } from 'vitest';
import { connectRootward, makeFolders, textOf } from './fixtures/rootward.js';

const folders = makeFolders('a');

test('--ready-timeout says how long a call waits for a client that does not answer', async () => {
  const args = [folders.path('a'), '--ready-timeout', '0.25'];
  const { client } = await connectRootward(args, { roots: silent });
  const info = await client.request('tools/call', { name: 'workspace_info', arguments: {} });
  expect(textOf(info)).toContain('declared roots but did not answer within 0.25 s');
  expect(textOf(info)).toContain(`1 root from flag: ${folders.path('a')}`);
});

test('workspace_info does not list a process directory that nobody needed as rejected', async () => {
  // Beside the ceiling, it could not be a root.
  const args = [folders.path('a'), '--within', folders.path('a')];
  const { client } = await connectRootward(args, {}, { cwd: folders.top });
  const info = await client.request('tools/call', { name: 'workspace_info', arguments: {} });
  expect(textOf(info)).not.toContain('Rejected');
  expect(textOf(info)).toContain(': not needed');
  expect(info['structuredContent']).toMatchObject({ rejected: [] });
});
