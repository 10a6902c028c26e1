import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { authorized, startHttp, TOKEN } from './fixtures/http.js';
import { connectRootward, makeFolders } from './fixtures/rootward.js';

const folders = makeFolders('root', 'logs');

test('rootward --audit writes every decision with its reason, and no contents', async () => {
  const file = join(folders.path('logs'), 'audit.jsonl');
  const { server, client } = await connectRootward(['--root', folders.path('root'), '--audit', file]);
  await client.callTool('write_file', { path: 'new.txt', content: 'the content of the file' });
  await client.callTool('read_text_file', { path: 'new.txt' });
  await client.callTool('read_text_file', { path: '/etc/passwd' });
  await client.callTool('read_multiple_files', { paths: ['name.txt', '/etc/hostname'] });
  server.output.end();
  await server.exit;
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain('the content of the file');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ tool, path, decision, reason }) => [tool, path, decision, reason])).toEqual([
    ['write_file', 'new.txt', 'allowed', undefined],
    ['read_text_file', 'new.txt', 'allowed', undefined],
    ['read_text_file', '/etc/passwd', 'refused', 'outside-roots'],
    ['read_multiple_files', 'name.txt', 'allowed', undefined],
    ['read_multiple_files', '/etc/hostname', 'refused', 'outside-roots'],
  ]);
  expect(new Set(lines.map(({ session }) => session)).size).toBe(1);
  expect(lines.every(({ time }) => typeof time === 'string' && !Number.isNaN(Date.parse(time)))).toBe(true);
});

test('rootward --audit over HTTP names who called, as rootward revoke takes it', async () => {
  const file = join(folders.path('logs'), 'http.jsonl');
  const { url } = await startHttp([folders.path('root'), '--audit', file]);
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: authorized(TOKEN) } }),
    );
    await client.callTool({ name: 'read_text_file', arguments: { path: 'name.txt' } });
    await client.close();
  }
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const principal = [createHash('sha256').update(TOKEN).digest('hex').slice(0, 16)];
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ principal }, { principal }]);
});
