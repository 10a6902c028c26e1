import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SignJWT, type CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../testing/eventually.js';
import { Issuer } from '../../../testing/oauth-issuer.js';
import { makeProject } from '../../exec/fixtures/tools-project.js';
import { INNER } from '../../wrap/fixtures/wrapped.js';
import { authorized, INITIALIZE, send, startHttp, type HttpRootward } from '../fixtures/http.js';
import { makeFolders } from '../fixtures/rootward.js';

const AUDIENCE = 'https://mcp.example.com/mcp';
const folders = makeFolders('a');
const issuer = new Issuer();
let key: CryptoKey;
beforeAll(async () => {
  await issuer.start();
  ({ privateKey: key } = await issuer.newKey('one'));
});
afterAll(() => issuer.close());

interface Party {
  readonly client?: string;
  readonly subject?: string;
}

function sign(
  scope: string,
  audience = AUDIENCE,
  { client = 'client', subject = 'someone' }: Party = {},
): Promise<string> {
  return new SignJWT({ client_id: client, scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'one' })
    .setIssuer(issuer.url)
    .setAudience(audience)
    .setSubject(subject)
    .setExpirationTime('5m')
    .sign(key);
}

async function connect(
  { url }: HttpRootward,
  mode: 'legacy' | { pin: '2026-07-28' },
  scope: string,
  party?: Party,
) {
  const client = new Client({ name: 'oauth', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${await sign(scope, AUDIENCE, party)}` } };
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

const MODES = ['legacy', { pin: '2026-07-28' }] as const;
const oauth = (): readonly string[] => ['--oauth-issuer', issuer.url, '--oauth-audience', AUDIENCE];

async function toolsOf(client: Client): Promise<ReadonlySet<string>> {
  return new Set((await client.listTools()).tools.map(({ name }) => name));
}

/** How the fence of this client describes its roots. */
async function accessOf(client: Client): Promise<unknown> {
  const { contents } = await client.readResource({ uri: 'workspace://roots' });
  const { roots } = JSON.parse((contents[0] as { text: string }).text) as { roots: { access: string }[] };
  return roots.map(({ access }) => access);
}

describe('the scopes of an access token narrow what its client can do', () => {
  test('to all that they allow together, in both eras', async () => {
    const http = await startHttp([folders.path('a'), ...oauth()]);
    // Which of three tools there are, and whether the fence lets anything be changed.
    const [READ, WRITE, EDIT] = ['read_text_file', 'write_file', 'edit_symbol'] as const;
    const cases: Readonly<Record<string, readonly [readonly string[], string]>> = {
      'rootward other:scope': [[READ, WRITE, EDIT], 'read-write'],
      'rootward:read': [[READ], 'read-only'],
      'rootward:files': [[READ, WRITE], 'read-write'],
      'rootward:read rootward:files': [[READ, WRITE], 'read-write'],
      'rootward:files:read rootward:code': [[READ, EDIT], 'read-write'],
      'rootward:files:read': [[READ], 'read-only'],
      'rootward:workspace': [[], 'read-only'],
      'rootward:project rootward:code:read': [[], 'read-only'],
    };
    for (const [index, mode] of MODES.entries()) {
      for (const [position, [scope, [expected, access]]] of Object.entries(cases).entries()) {
        const client = await connect(http, mode, scope);
        const names = await toolsOf(client);
        expect([scope, [READ, WRITE, EDIT].filter((name) => names.has(name))]).toEqual([scope, expected]);
        expect([scope, names.has('workspace_info')]).toEqual([scope, true]);
        expect([scope, await accessOf(client)]).toEqual([scope, [access]]);
        const written = await writes(client, `${index}-${position}.txt`);
        expect([scope, written]).toEqual([scope, expected.includes(WRITE)]);
        expect([scope, (await read(client)).isError ?? false]).toEqual([scope, !expected.includes(READ)]);
      }
    }
    for (const scope of ['other:scope', 'rootward:exec:read']) {
      await expect(connect(http, 'legacy', scope)).rejects.toMatchObject({ requiredScope: 'rootward' });
    }
  });

  test('and never widen what the operator allows', async () => {
    const http = await startHttp([folders.path('a'), '--read-only', '--toolsets', 'files', ...oauth()]);
    for (const mode of MODES) {
      const client = await connect(http, mode, 'rootward rootward:code rootward:exec');
      const names = await toolsOf(client);
      const offered = ['read_text_file', 'write_file', 'outline'].filter((name) => names.has(name));
      expect(offered).toEqual(['read_text_file']);
      expect(await accessOf(client)).toEqual(['read-only']);
    }
  });
});

async function changesOf(client: Client): Promise<readonly string[]> {
  const { structuredContent } = await client.callTool({ name: 'change_history', arguments: {} });
  const { changes } = structuredContent as { changes: readonly { readonly id: string }[] };
  return changes.map(({ id }) => id);
}

test('changes stay with their client and subject, whatever its next token allows', async () => {
  const http = await startHttp([folders.path('a'), ...oauth()]);
  for (const [index, mode] of MODES.entries()) {
    const name = `kept-${index}.txt`;
    const party = { client: `editor ${index}`, subject: 'someone' };
    const writer = await connect(http, mode, 'rootward:files', party);
    expect(await writes(writer, name)).toBe(true);
    const [id] = await changesOf(writer);
    const others = [
      { client: `editor ${index}`, subject: 'other' },
      { client: 'other', subject: 'someone' },
    ];
    for (const other of others) {
      const client = await connect(http, mode, 'rootward:files', other);
      expect(await changesOf(client)).toEqual([]);
      expect(await call(client, 'undo_changes', { id })).toMatchObject({ isError: true });
    }
    // What a token allows decides what can be done, and not whose changes they are.
    const less = await connect(http, mode, 'rootward:files:read', party);
    expect(await changesOf(less)).toEqual([id]);
    expect(await neededFor(less, 'undo_changes')).toBe('rootward:files rootward:files:read');
    const more = await connect(http, mode, 'rootward:files rootward:code:read', party);
    expect(await changesOf(more)).toEqual([id]);
    expect((await call(more, 'undo_changes', { id })).isError ?? false).toBe(false);
    expect(existsSync(join(folders.path('a'), name))).toBe(false);
  }
});

/** A script that leaves a file in the first root. */
function change(by: string): string {
  return `printf changed > "$(printf %s "$MCP_ROOTS_PATHS" | head -1)/by-${by}.txt"`;
}

test('what runs programs of the tools project, and wrapped servers, need the scope of executables', async () => {
  const project = makeProject({
    change: `${change('tool')}; mcp_result_success "$(mcp_json_obj ok yes)"`,
    look: {
      script: `${change('tool')}; mcp_result_success "$(mcp_json_obj ok yes)"`,
      meta: { annotations: { readOnlyHint: true } },
    },
  });
  for (const [path, by] of [
    ['providers/demo.sh', 'provider'],
    ['completions/c.sh', 'completion'],
  ] as const) {
    chmodSync(project.write(path, `#!/usr/bin/env bash\n${change(by)}\necho '["done"]'\n`), 0o755);
  }
  const resource = { name: 'd', uri: 'demo://x', mimeType: 'text/plain', provider: 'demo' };
  project.write('resources/d.meta.json', JSON.stringify(resource));
  project.write('prompts/p.txt', 'Hello');
  project.write('prompts/p.meta.json', JSON.stringify({ name: 'p', path: 'p.txt' }));
  const completions = [{ name: 'd', path: 'completions/c.sh' }];
  project.write('server.d/register.json', JSON.stringify({ version: 1, completions }));
  const file = join(project.path, 'rootward.json');
  writeFileSync(file, JSON.stringify({ wrap: { inner: { command: process.execPath, args: [INNER] } } }));
  const http = await startHttp([
    folders.path('a'),
    '--project',
    project.path,
    '--config',
    file,
    '--history',
    'off',
    ...oauth(),
  ]);
  const names = ['change', 'look', 'inner_echo'];
  const runs: Readonly<Record<string, boolean>> = {
    rootward: true,
    'rootward:exec': true,
    'rootward:read rootward:exec': true,
    'rootward:read': false,
    'rootward:files': false,
    'rootward:files:read rootward:code rootward:project rootward:workspace': false,
  };
  const done = (by: string): boolean => existsSync(join(folders.path('a'), `by-${by}.txt`));
  for (const mode of MODES) {
    for (const [scope, expected] of Object.entries(runs)) {
      for (const by of ['tool', 'provider', 'completion'])
        rmSync(join(folders.path('a'), `by-${by}.txt`), { force: true });
      const client = await connect(http, mode, scope);
      const listed = await toolsOf(client);
      const resources = (await client.listResources()).resources.map(({ uri }) => uri);
      const prompts = (await client.listPrompts().catch(() => ({ prompts: [] }))).prompts;
      for (const name of names) {
        expect([scope, name, listed.has(name)]).toEqual([scope, name, expected]);
        const { isError = false } = await call(client, name, { text: 'x' });
        expect([scope, name, isError]).toEqual([scope, name, !expected]);
      }
      expect([scope, resources.includes('demo://x')]).toEqual([scope, expected]);
      expect([scope, prompts.some(({ name }) => name === 'p')]).toEqual([scope, expected]);
      await client.getPrompt({ name: 'p' }).then(
        () => expect([scope, true]).toEqual([scope, expected]),
        () => expect([scope, false]).toEqual([scope, expected]),
      );
      await client.readResource({ uri: 'demo://x' }).catch(() => undefined);
      const ref = { type: 'ref/resource', uri: 'demo://x' } as const;
      await client.complete({ ref, argument: { name: 'a', value: 'b' } }).catch(() => undefined);
      for (const by of ['tool', 'provider', 'completion'])
        expect([scope, by, done(by)]).toEqual([scope, by, expected]);
    }
  }
});

/** The scopes that a call is told it needs; undefined where the server does not know the tool. */
async function neededFor(client: Client, name: string): Promise<string | undefined> {
  const error: unknown = await client.callTool({ name, arguments: {} }).then(
    () => new Error(`${name} was called`),
    (reason: unknown) => reason,
  );
  if (error instanceof Error && error.message.includes(`Tool ${name} not found`)) return undefined;
  expect(error).toMatchObject({ name: 'InsufficientScopeError' });
  return (error as { requiredScope?: string }).requiredScope;
}

describe('a call that a token does not allow', () => {
  test('names the scope that it needs, with those that it has, and the session goes on', async () => {
    const project = makeProject({ look: 'echo looked', secret: 'echo secret' });
    const file = join(project.path, 'rootward.json');
    writeFileSync(file, JSON.stringify({ wrap: { inner: { command: process.execPath, args: [INNER] } } }));
    const hidden = ['--hide-tools', 'delete_file,secret,inner_write'];
    const tools = ['--project', project.path, '--config', file, ...hidden];
    const http = await startHttp([folders.path('a'), ...tools, ...oauth()]);
    const cases: readonly (readonly [string, string, string | undefined])[] = [
      ['rootward:read', 'write_file', 'rootward:files'],
      ['rootward:files:read rootward:exec', 'write_file', 'rootward:files'],
      ['rootward:code', 'read_text_file', 'rootward:files:read'],
      ['rootward:files', 'edit_symbol', 'rootward:code'],
      ['rootward:files', 'category_list', 'rootward:project:read'],
      ['openid rootward:files other rootward:code:read', 'look', 'rootward:exec'],
      ['rootward:read', 'inner_echo', 'rootward:exec'],
      // What is hidden from everyone is not there.
      ['rootward:read', 'delete_file', undefined],
      ['rootward:read', 'secret', undefined],
      ['rootward:read', 'inner_write', undefined],
      ['rootward:read', 'unknown', undefined],
      ['rootward', 'delete_file', undefined],
    ];
    for (const mode of MODES) {
      for (const [scope, tool, needed] of cases) {
        const client = await connect(http, mode, scope);
        const told = await neededFor(client, tool);
        // What means nothing here is not asked for.
        const kept = scope.split(' ').filter((each) => each.startsWith('rootward'));
        const named = needed === undefined ? undefined : [...kept, needed].toSorted();
        expect([scope, tool, told?.split(' ').toSorted()]).toEqual([scope, tool, named]);
        expect((await call(client, 'workspace_info', {})).isError ?? false).toBe(false);
        if (told === undefined) continue;
        // A client that asks only for what it was told loses nothing.
        const more = await toolsOf(await connect(http, mode, told));
        expect([...(await toolsOf(client)), tool].filter((name) => !more.has(name))).toEqual([]);
      }
    }
  });

  test('is answered as the specification asks; what the operator does not offer is not there', async () => {
    const limits = ['--read-only', '--toolsets', 'files,code'];
    const http = await startHttp([folders.path('a'), ...limits, ...oauth(), '--public-url', AUDIENCE]);
    for (const mode of MODES) {
      const client = await connect(http, mode, 'rootward:files:read');
      for (const tool of ['write_file', 'category_list', 'edit_symbol']) {
        expect([tool, await neededFor(client, tool)]).toEqual([tool, undefined]);
      }
      expect(await neededFor(client, 'outline')).toBe('rootward:code:read rootward:files:read');
    }
    const headers = authorized(await sign('rootward:code'));
    const { headers: opened } = await send(http.url, headers, INITIALIZE);
    const { status, headers: answered } = await send(
      http.url,
      { ...headers, 'mcp-session-id': String(opened['mcp-session-id']) },
      JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'read_text_file' } }),
    );
    const metadata = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
    expect([status, answered['www-authenticate']]).toEqual([
      403,
      expect.stringMatching(
        `^Bearer error="insufficient_scope", .*scope="rootward:files:read rootward:code", resource_metadata="${metadata}"$`,
      ),
    ]);
  });
});

test('a server with an issuer says where clients sign in, and asks for a token only where one was given', async () => {
  const signIn = ['--oauth-issuer', issuer.url, '--public-url', AUDIENCE];
  const without = { env: { ROOTWARD_TOKEN: undefined } };
  const { banner } = await startHttp([folders.path('a'), ...signIn], without);
  expect(banner).toContain(`Clients sign in at ${issuer.url}`);
  expect(banner).not.toMatch(/Bearer|--token|Authorization/);
  // What is pasted names the address that clients use.
  expect(banner).toContain(`"url": "${AUDIENCE}"`);
  expect(banner).toContain(`config --client vscode --url ${AUDIENCE}\n`);
  const { banner: both } = await startHttp([folders.path('a'), ...signIn]);
  expect(both).toContain('"Authorization": "Bearer <your token>"');
  expect(both).toContain(`Clients sign in at ${issuer.url}`);
});

test('keys are fetched at the start, which does not wait for them, and why they cannot be is logged', async () => {
  const own = new Issuer();
  await own.start();
  onTestFinished(() => own.close());
  const signIn = ['--oauth-issuer', `${own.url}/`, '--public-url', AUDIENCE];
  const { server, url, banner } = await startHttp([folders.path('a'), ...signIn]);
  await eventually(() =>
    expect(server.stderr()).toContain(
      `the metadata says issuer \\"${own.url}\\", --oauth-issuer says \\"${own.url}/\\"`,
    ),
  );
  expect(banner).not.toContain('metadata');
  const token = await sign('rootward');
  const answer = await send(url, authorized(token), INITIALIZE);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
  expect(server.stderr()).not.toContain(token);
});

test('a token for the address as clients write it lets in', async () => {
  const signIn = ['--oauth-issuer', issuer.url, '--public-url', 'https://MCP.example.com'];
  const { url } = await startHttp([folders.path('a'), ...signIn]);
  for (const [audience, status] of [
    ['https://mcp.example.com/', 200],
    ['https://mcp.example.com', 200],
    ['https://other.example.com', 401],
  ] as const) {
    const token = await sign('rootward', audience);
    expect([audience, (await send(url, authorized(token), INITIALIZE)).status]).toEqual([audience, status]);
  }
});
