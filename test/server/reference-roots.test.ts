import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answering, connectToProcess, ScriptedClient } from '@rootward/mcp/testing';
import type { ScriptedClientOptions, SpawnedConnection } from '@rootward/mcp/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { bareEnvironment, connectRootward, makeFolders, startRootward, textOf } from './fixtures/rootward.js';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const REFERENCE = join(MODULES, '@modelcontextprotocol', 'server-filesystem', 'dist', 'index.js');
const folders = makeFolders('named', 'opened');
const missing = join(folders.top, 'missing');

const started: SpawnedConnection[] = [];
afterEach(() => {
  for (const { process: child } of started.splice(0)) child.kill('SIGKILL');
});

/** The reference filesystem server, and a client that has shaken hands with it. */
async function connectReference(
  args: readonly string[],
  options: ScriptedClientOptions = {},
): Promise<{ readonly server: SpawnedConnection; readonly client: ScriptedClient }> {
  const server = connectToProcess(process.execPath, {
    args: [REFERENCE, ...args],
    cwd: folders.top,
    env: bareEnvironment(),
  });
  started.push(server);
  const client = new ScriptedClient(server, options);
  await client.connect();
  return { server, client };
}

async function allowed(client: ScriptedClient): Promise<string> {
  return textOf(await client.callTool('list_allowed_directories'));
}

/** What `docs/migration.md` says of the roots of both servers. */
describe.runIf(process.platform !== 'win32')('The reference server, and ours,', () => {
  test('with client roots: they replace the named folders, silently; ours says so', async () => {
    const roots = answering([{ uri: folders.uri('opened') }]);
    const { client: reference } = await connectReference([folders.path('named')], { roots });
    await eventually(async () => {
      expect(await allowed(reference)).toBe(`Allowed directories:\n${folders.path('opened')}`);
    });
    const { client } = await connectRootward([folders.path('named')], { roots });
    await eventually(async () => expect(await allowed(client)).not.toContain(folders.path('named')));
    expect(textOf(await client.callTool('workspace_info'))).toMatch(/replace/);
  });

  test('without any folder: both refuse every path; ours says what to do', async () => {
    const path = join(folders.path('named'), 'name.txt');
    const { client: reference } = await connectReference([]);
    const theirs = await reference.callTool('read_text_file', { path });
    expect(theirs).toMatchObject({ isError: true });
    expect(textOf(theirs)).toBe(`Access denied - path outside allowed directories: ${path} not in `);

    const { client } = await connectRootward([], {}, { cwd: '/' });
    expect(await client.callTool('read_text_file', { path })).toMatchObject({
      isError: true,
      structuredContent: {
        error_type: 'no_roots',
        instruction: expect.stringContaining('Open a folder') as unknown,
      },
    });
  });

  test('when a client takes its roots back: it keeps them; ours does not', async () => {
    const roots = answering([{ uri: folders.uri('opened') }]);
    const { server, client: reference } = await connectReference([], { roots });
    await eventually(async () => expect(await allowed(reference)).toContain(folders.path('opened')));
    reference.changeRoots(answering([]));
    await eventually(() => expect(server.stderr()).toContain('No valid root directories'));
    expect(await allowed(reference)).toContain(folders.path('opened'));

    const { client } = await connectRootward([], { roots }, { cwd: '/' });
    await eventually(async () => expect(await allowed(client)).toContain(folders.path('opened')));
    client.changeRoots(answering([]));
    await eventually(async () => expect(await allowed(client)).not.toContain(folders.path('opened')));
  });

  test('with a root that is no file URI: it drops the whole list; ours that root', async () => {
    const roots = answering([{ uri: 'https://example.com/' }, { uri: folders.uri('opened') }]);
    const { server, client: reference } = await connectReference([folders.path('named')], { roots });
    await eventually(() => expect(server.stderr()).toContain('Failed to request initial roots'));
    expect(await allowed(reference)).not.toContain(folders.path('opened'));

    const { client } = await connectRootward([folders.path('named')], { roots });
    await eventually(async () => expect(await allowed(client)).toContain(folders.path('opened')));
    expect(textOf(await client.callTool('workspace_info'))).toContain('not-a-file-uri');
  });

  test('with a missing folder among others: it skips that with a warning; ours does not start', async () => {
    const { server, client } = await connectReference([missing, folders.path('named')]);
    expect(await allowed(client)).toContain(folders.path('named'));
    expect(server.stderr()).toContain(`Cannot access directory ${missing}`);

    const own = startRootward([missing, folders.path('named')]);
    expect(await own.exit).toBe(2);
    expect(own.stderr()).toContain(missing);
  });
});
