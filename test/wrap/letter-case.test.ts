import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSession, serveWrapped } from './fixtures/http.js';
import { direct, makeFolder, roots, textOf, wrap } from './fixtures/wrapped.js';

const SOURCE = fileURLToPath(new URL('fixtures/go-server/main.go', import.meta.url));
const hasGo = spawnSync('go', ['version']).status === 0;
const HIDE = ['--hide-tools', 'write_file'] as const;
const READ = { name: 'read_file', arguments: {} };
const WRITE = { name: 'write_file', arguments: {} };
/** Calls that show the tool `read_file`, or none, to a decoder that minds letter case, and `write_file` to Go's. */
const CALLS: readonly (readonly [string, object])[] = [
  ['Name', { method: 'tools/call', params: { ...READ, Name: 'write_file' } }],
  ['Name alone', { method: 'tools/call', params: { Name: 'write_file' } }],
  ['Method', { method: 'ping', Method: 'tools/call', params: WRITE }],
  ['Params', { method: 'tools/call', params: READ, Params: WRITE }],
  ['param\u017F', { method: 'tools/call', params: READ, paramſ: WRITE }],
];

describe.skipIf(!hasGo)('A hidden tool of a server in Go, which ignores the letter case of names', () => {
  let server: string;
  beforeAll(() => {
    const folder = makeFolder('go');
    server = join(folder, 'server');
    const env = {
      ...process.env,
      GOCACHE: join(folder, 'cache'),
      GO111MODULE: 'off',
      GOFLAGS: '',
      CGO_ENABLED: '0',
    };
    const { status, stderr } = spawnSync('go', ['build', '-o', server, SOURCE], { env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }, 120_000);

  test.each(CALLS)('runs by %s where nothing refuses it', async (_, call) => {
    const folder = makeFolder('a');
    const { client } = await direct([server], { cwd: folder });
    const answer = await client.expect('call', () => client.send({ jsonrpc: '2.0', id: 'call', ...call }));
    expect(textOf(answer)).toBe('ran write_file');
    expect(existsSync(join(folder, 'written'))).toBe(true);
  });

  test('does not run over stdio', async () => {
    const folder = makeFolder('a');
    const { client } = await wrap([server], { roots: roots(folder), flags: HIDE });
    expect(textOf(await client.callTool('read_file'))).toBe('ran read_file');
    for (const [name, call] of CALLS) {
      const refused = client.expect(name, () => client.send({ jsonrpc: '2.0', id: name, ...call }));
      await expect(refused).rejects.toMatchObject({ code: -32_600 });
    }
    expect(textOf(await client.callTool('read_file'))).toBe('ran read_file');
    expect(existsSync(join(folder, 'written'))).toBe(false);
  });

  test('does not run over HTTP', async () => {
    const folder = makeFolder('a');
    const url = await serveWrapped(['--root', folder, ...HIDE], [server]);
    const { headers, post } = await openSession(url);
    expect(await (await post('tools/call', READ)).text()).toContain('ran read_file');
    for (const [, call] of CALLS) {
      const body = JSON.stringify([{ jsonrpc: '2.0', id: 1, ...call }]);
      for (const each of [body, body.slice(1, -1)]) {
        const response = await fetch(url, { method: 'POST', headers, body: each });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ error: { code: -32_600 } });
      }
    }
    expect(await (await post('tools/call', READ)).text()).toContain('ran read_file');
    expect(existsSync(join(folder, 'written'))).toBe(false);
  });
});
