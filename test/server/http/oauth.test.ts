import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SignJWT, type CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Issuer } from '../../../testing/oauth-issuer.js';
import { makeProject } from '../../exec/fixtures/tools-project.js';
import { INNER } from '../../wrap/fixtures/wrapped.js';
import { startHttp, type HttpRootward } from '../fixtures/http.js';
import { makeFolders, textOf } from '../fixtures/rootward.js';

const AUDIENCE = 'https://mcp.example.com/mcp';
const folders = makeFolders('a');
const issuer = new Issuer();
let key: CryptoKey;
beforeAll(async () => {
  await issuer.start();
  ({ privateKey: key } = await issuer.newKey('one'));
});
afterAll(() => issuer.close());

function sign(scope: string): Promise<string> {
  return new SignJWT({ client_id: 'client', scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'one' })
    .setIssuer(issuer.url)
    .setAudience(AUDIENCE)
    .setSubject('someone')
    .setExpirationTime('5m')
    .sign(key);
}

async function connect({ url }: HttpRootward, mode: 'legacy' | { pin: '2026-07-28' }, scope: string) {
  const client = new Client({ name: 'oauth', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${await sign(scope)}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  try {
    return await client.callTool({ name, arguments: args });
  } catch (error) {
    // Of a tool that this client does not have.
    return { isError: true, content: [{ type: 'text', text: String(error) }] };
  }
}

const read = (client: Client) =>
  call(client, 'read_text_file', { path: join(folders.path('a'), 'name.txt') });

/** Whether a file could be written. */
async function writes(client: Client, name: string): Promise<boolean> {
  const path = join(folders.path('a'), name);
  const { isError = false } = await call(client, 'write_file', { path, content: 'new' });
  expect(isError).toBe(!existsSync(path));
  return !isError;
}

describe('the scopes of an access token narrow what its client can do', () => {
  test('by reading only, and by toolset, in both eras', async () => {
    const oauth = ['--oauth-issuer', issuer.url, '--oauth-audience', AUDIENCE];
    const http = await startHttp([folders.path('a'), ...oauth]);
    for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
      const era = typeof mode === 'string' ? mode : 'modern';
      const namesFor = async (scope: string): Promise<readonly [Client, ReadonlySet<string>]> => {
        const client = await connect(http, mode, scope);
        const { tools } = await client.listTools();
        return [client, new Set(tools.map(({ name }) => name))];
      };
      const [all, everything] = await namesFor('rootward other:scope');
      expect([era, everything.has('write_file'), everything.has('read_text_file')]).toEqual([
        era,
        true,
        true,
      ]);
      expect(await writes(all, `${era}-all.txt`)).toBe(true);

      const [reader, readable] = await namesFor('rootward:read');
      expect([era, readable.has('write_file'), readable.has('read_text_file')]).toEqual([era, false, true]);
      expect(textOf(await read(reader))).toBe('a');
      expect(await writes(reader, `${era}-read.txt`)).toBe(false);

      const [narrow, few] = await namesFor('rootward:workspace');
      expect([era, few.has('read_text_file'), few.has('workspace_info')]).toEqual([era, false, true]);
      expect((await read(narrow)).isError).toBe(true);
      expect(await writes(narrow, `${era}-narrow.txt`)).toBe(false);
    }
    await expect(connect(http, 'legacy', 'other:scope')).rejects.toMatchObject({ requiredScope: 'rootward' });
  });
});

test('executables and wrapped servers need a scope that lets them change things, or that names them', async () => {
  const project = makeProject({
    change: 'printf changed > "$MCP_ROOTS_PATHS/changed.txt"; mcp_result_success "$(mcp_json_obj ok yes)"',
    look: {
      script: 'mcp_result_success "$(mcp_json_obj ok yes)"',
      meta: { annotations: { readOnlyHint: true } },
    },
  });
  const file = join(project.path, 'rootward.json');
  writeFileSync(file, JSON.stringify({ wrap: { inner: { command: process.execPath, args: [INNER] } } }));
  const oauth = ['--oauth-issuer', issuer.url, '--oauth-audience', AUDIENCE];
  const args = [folders.path('a'), '--project', project.path, '--config', file, ...oauth];
  const http = await startHttp(args);
  const names = ['change', 'look', 'inner_echo'];
  const cases: Readonly<Record<string, readonly string[]>> = {
    rootward: names,
    'rootward:exec': names,
    'rootward:exec rootward:read': ['look'],
    'rootward:read': ['look'],
    'rootward:files': [],
  };
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    for (const [scope, expected] of Object.entries(cases)) {
      const client = await connect(http, mode, scope);
      const { tools } = await client.listTools();
      const listed = names.filter((name) => tools.some((tool) => tool.name === name));
      expect([scope, listed]).toEqual([scope, expected]);
      for (const name of names.filter((each) => !expected.includes(each))) {
        expect([scope, name, (await call(client, name, {})).isError]).toEqual([scope, name, true]);
      }
      expect(existsSync(join(folders.path('a'), 'changed.txt'))).toBe(false);
    }
  }
});

test('a server with an issuer says where clients sign in, and asks for a token only where one was given', async () => {
  const oauth = ['--oauth-issuer', issuer.url, '--public-url', AUDIENCE];
  const without = { env: { ROOTWARD_TOKEN: undefined } };
  const { banner } = await startHttp([folders.path('a'), ...oauth], without);
  expect(banner).toContain(`Clients sign in at ${issuer.url}`);
  expect(banner).not.toMatch(/Bearer|--token|Authorization/);
  // What is pasted names the address that clients use.
  expect(banner).toContain(`"url": "${AUDIENCE}"`);
  expect(banner).toContain(`config --client vscode --url ${AUDIENCE}\n`);
  const { banner: both } = await startHttp([folders.path('a'), ...oauth]);
  expect(both).toContain('"Authorization": "Bearer <your token>"');
  expect(both).toContain(`Clients sign in at ${issuer.url}`);
});
