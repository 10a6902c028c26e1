import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectToProcess } from '@rootward/mcp/testing';
import { findBackends } from '@rootward/sandbox';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { connectV1, connectV2, startWrapped } from './fixtures/http.js';
import { INNER, makeFolder, PROGRAM, roots, textOf, wrap, type WrapSetup } from './fixtures/wrapped.js';

const working = new Set(
  (await findBackends({})).flatMap(({ name, backend }) => (backend === undefined ? [] : [name])),
);
const works = working.size > 0;
const SERVER = [process.execPath, INNER];
const ROOTWARD_READ_ONLY = '1';

function configure(folder: string, content: object): string {
  const file = join(folder, 'rootward.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** A folder with something in it that rules are about. */
function project(): string {
  const folder = makeFolder('project');
  mkdirSync(join(folder, 'notes'));
  for (const name of ['open.txt', 'secret.txt', 'notes/a.txt']) writeFileSync(join(folder, name), name);
  return folder;
}

interface Attempts {
  readonly read: (path: string) => Promise<string>;
  readonly write: (path: string) => Promise<string>;
}

/** What a wrapped server can do in the folder of a client. */
async function wrapIn(folder: string, setup: WrapSetup): Promise<Attempts> {
  const { client } = await wrap(SERVER, { roots: roots(folder), ...setup });
  const attempt =
    (tool: string) =>
    async (path: string): Promise<string> =>
      textOf(await client.callTool(tool, { path: join(folder, path) }));
  return { read: attempt('read'), write: attempt('write') };
}

/** A server that ends where its folder is empty, and otherwise writes into it. */
function writer(): readonly string[] {
  const file = join(makeFolder('server'), 'writer.mjs');
  writeFileSync(
    file,
    `import { existsSync, writeFileSync } from 'node:fs';
if (!existsSync('open.txt')) process.exit(1);
try { writeFileSync('new.txt', ''); } catch {}
await import(process.argv[2]);
`,
  );
  // Named on the command line, it can be read in a sandbox wherever the clone is.
  return [process.execPath, file, INNER];
}

/** How a start ends, and what it says. */
async function startFor(
  flags: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: unknown; readonly err: string }> {
  const { PATH } = process.env;
  const started = connectToProcess(process.execPath, {
    args: [PROGRAM, 'wrap', ...flags, '--', ...SERVER],
    cwd: makeFolder('start'),
    env: { PATH, HOME: makeFolder('home'), ...env },
  });
  started.output.end();
  return { code: await started.exit, err: started.stderr() };
}

describe.runIf(works)('--sandbox', () => {
  test('holds the server to the roots of the client, also when they change', async () => {
    const [inside, outside] = [makeFolder('in'), makeFolder('out')];
    for (const folder of [inside, outside]) writeFileSync(join(folder, 'a.txt'), 'secret');
    const { client, connection } = await wrap([process.execPath, INNER], {
      roots: roots(inside),
      flags: ['--sandbox', 'strict'],
    });
    const read = async (folder: string): Promise<string> =>
      textOf(await client.callTool('read', { path: join(folder, 'a.txt') }));
    expect(await read(inside)).toBe('secret');
    expect(await read(outside)).toMatch(/ENOENT|EACCES/);
    expect(textOf(await client.callTool('write', { path: join(inside, 'b.txt') }))).toBe('written');
    expect(readFileSync(join(inside, 'b.txt'), 'utf8')).toBe('x');
    client.changeRoots(roots(outside));
    expect(await read(outside)).toBe('secret');
    expect(await read(inside)).toMatch(/ENOENT|EACCES/);
    await eventually(() => expect(connection.stderr()).toContain('sandbox: strict'));
  });

  test('stops the start where it cannot be had', async () => {
    const started = wrap([process.execPath, INNER], {
      flags: ['--sandbox', 'strict'],
      env: { ROOTWARD_SANDBOX_BACKENDS: 'none' },
    });
    await expect(started).rejects.toThrow('the server ended the connection');
  });
});

describe.runIf(works)('What the operator makes read-only', () => {
  test.each([
    ['a variable', [], { ROOTWARD_READ_ONLY }],
    ['a flag', ['--read-only'], {}],
  ])('stays as it is, by %s', async (_, more, env) => {
    const folder = project();
    const { read, write } = await wrapIn(folder, { flags: ['--sandbox', 'write', ...more], env });
    expect(await read('open.txt')).toBe('open.txt');
    expect(await write('open.txt')).toMatch(/EROFS|EACCES|EPERM/);
    expect(await write('new.txt')).toMatch(/EROFS|EACCES|EPERM/);
    expect(readFileSync(join(folder, 'open.txt'), 'utf8')).toBe('open.txt');
    expect(existsSync(join(folder, 'new.txt'))).toBe(false);
  });

  test.each([
    ['legacy', connectV1],
    ['modern', connectV2],
  ] as const)('stays as it is for clients of the %s era over HTTP', async (_, connect) => {
    const folder = project();
    const flags = ['--sandbox', 'write', '--root', folder];
    const { url } = await startWrapped(flags, SERVER, { env: { ROOTWARD_READ_ONLY } });
    const caller = await connect(url, folder);
    expect(JSON.stringify(await caller.call('write', { path: join(folder, 'new.txt') }))).toMatch(
      /EROFS|EACCES|EPERM/,
    );
    expect(existsSync(join(folder, 'new.txt'))).toBe(false);
    await caller.close();
  });
});

describe.runIf(works)('A server in a sandbox that only starts where the command was started', () => {
  test('changes nothing there', async () => {
    const [here, folder] = [project(), project()];
    const { client } = await wrap(writer(), {
      roots: roots(folder),
      cwd: here,
      flags: ['--sandbox', 'write'],
    });
    await client.callTool('where');
    expect(existsSync(join(folder, 'new.txt'))).toBe(true);
    expect(existsSync(join(here, 'new.txt'))).toBe(false);
  });

  test('does not start beyond the ceiling', async () => {
    const [here, folder] = [project(), project()];
    const flags = ['--sandbox', 'write', '--within', folder];
    const started = wrap(writer(), { roots: roots(folder), cwd: here, flags });
    await expect(started).rejects.toThrow(`Cannot start the server in ${JSON.stringify(here)}`);
    expect(existsSync(join(here, 'new.txt'))).toBe(false);
  });
});

describe.runIf(working.has('bubblewrap'))('Rules about files, with bubblewrap', () => {
  const flags = ['--sandbox', 'strict', '--sandbox-backend', 'bubblewrap'];

  test('of the operator hide what they deny, and nothing changes their file', async () => {
    const folder = project();
    const denyAbsolute = [join(folder, 'notes')];
    const config = configure(folder, { deny: ['secret.*'], denyAbsolute });
    const { read, write } = await wrapIn(folder, { flags: [...flags, '--config', config] });
    expect(await read('open.txt')).toBe('open.txt');
    expect(await read('secret.txt')).toMatch(/EACCES|ENOENT|EPERM/);
    expect(await read('notes/a.txt')).toMatch(/EACCES|ENOENT|EPERM/);
    expect(await write('secret.txt')).toMatch(/EACCES|EROFS|EPERM/);
    expect(await write('rootward.json')).toMatch(/EACCES|EROFS|EPERM/);
    expect(await write('new.txt')).toBe('written');
    expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('secret.txt');
  });

  test('of the operator hold for a root that the client names inside a folder of theirs', async () => {
    const folder = project();
    const config = configure(makeFolder('config'), { deny: ['notes/a.txt'] });
    const { read } = await wrapIn(join(folder, 'notes'), {
      flags: [...flags, '--config', config, '--root', folder],
    });
    expect(await read('a.txt')).toMatch(/EACCES|ENOENT|EPERM/);
  });

  test('of the workspace hold from the next start of the server on', async () => {
    const folder = project();
    const rules = join(folder, '.rootward.json');
    writeFileSync(rules, JSON.stringify({ deny: ['secret.*'] }));
    writeFileSync(join(folder, 'notes/.rootward.json'), JSON.stringify({ readOnly: true }));
    const { client } = await wrap(SERVER, { roots: roots(folder), flags });
    const attempt = async (tool: string, name: string): Promise<string> =>
      textOf(await client.callTool(tool, { path: join(folder, name) }));
    expect(await attempt('read', 'secret.txt')).toMatch(/EACCES|ENOENT|EPERM/);
    expect(await attempt('read', 'notes/a.txt')).toBe('notes/a.txt');
    expect(await attempt('write', 'notes/a.txt')).toMatch(/EACCES|EROFS|EPERM/);
    expect(await attempt('write', '.rootward.json')).toMatch(/EACCES|EROFS|EPERM/);
    writeFileSync(rules, JSON.stringify({ deny: ['open.*'] }));
    expect(await attempt('read', 'open.txt')).toBe('open.txt');
    await client.callTool('crash').catch(() => undefined);
    await eventually(async () => expect(await attempt('read', 'open.txt')).toMatch(/EACCES|ENOENT|EPERM/));
    expect(await attempt('read', 'secret.txt')).toBe('secret.txt');
  });
});

describe.runIf(working.has('landlock'))(
  'A rule that Landlock cannot enforce stops calls, with the reason',
  () => {
    const flags = ['--sandbox', 'strict', '--sandbox-backend', 'landlock'];

    test('where it denies something', async () => {
      const folder = project();
      const config = configure(makeFolder('config'), { deny: ['secret.*'] });
      const { read } = await wrapIn(folder, { flags: [...flags, '--config', config] });
      const said = await read('open.txt').catch(String);
      expect(said).toContain(`a rule denies ${JSON.stringify(join(folder, 'secret.txt'))} inside a root`);
    });

    test('where it makes a part of a root read-only', async () => {
      const folder = project();
      writeFileSync(join(folder, 'notes/.rootward.json'), JSON.stringify({ readOnly: true }));
      const { write } = await wrapIn(folder, { flags });
      const said = await write('notes/a.txt').catch(String);
      expect(said).toContain(`a rule makes ${JSON.stringify(join(folder, 'notes'))} read-only inside a root`);
      expect(said).toContain('Install bubblewrap, remove the rule');
      expect(readFileSync(join(folder, 'notes/a.txt'), 'utf8')).toBe('notes/a.txt');
    });
  },
);

describe.each(['bubblewrap', 'landlock'] as const)(
  'A root that a rule above it makes read-only',
  (backend) => {
    test.runIf(working.has(backend))(`stays as it is, with ${backend}`, async () => {
      const top = project();
      mkdirSync(join(top, '.git'));
      writeFileSync(join(top, '.git/HEAD'), 'ref: refs/heads/main');
      writeFileSync(join(top, '.rootward.json'), JSON.stringify({ readOnly: true }));
      const folder = join(top, 'notes');
      const { read, write } = await wrapIn(folder, {
        flags: ['--sandbox', 'strict', '--sandbox-backend', backend],
      });
      expect(await read('a.txt')).toBe('notes/a.txt');
      expect(await write('a.txt')).toMatch(/EACCES|EROFS|EPERM/);
      expect(await write('new.txt')).toMatch(/EACCES|EROFS|EPERM/);
      expect(existsSync(join(folder, 'new.txt'))).toBe(false);
    });
  },
);

describe('Without a sandbox', () => {
  test.each([
    ['ROOTWARD_READ_ONLY', [], { ROOTWARD_READ_ONLY }],
    ['--read-only', ['--read-only'], {}],
    ['--read-only', ['--read-only', '--http', '0', '--root', '.'], {}],
    ['--read-only', ['--read-only', '--sandbox', 'auto'], { ROOTWARD_SANDBOX_BACKENDS: 'none' }],
  ])('%s with %j stops the start', async (name, flags, env) => {
    const { code, err } = await startFor(flags, env);
    expect(code).toBe(2);
    expect(err).toContain(`Cannot use ${name} for a wrapped server without a sandbox`);
    expect(err).toContain('--sandbox write or --sandbox strict');
  });

  test('"readOnly" in rootward.json stops the start, unless a variable lifts it', async () => {
    const config = configure(makeFolder('config'), { readOnly: true });
    const { code, err } = await startFor(['--config', config]);
    expect([code, err]).toEqual([2, expect.stringContaining(`Cannot use "readOnly" in ${config} for`)]);
    expect((await startFor(['--config', config], { ROOTWARD_READ_ONLY: '0' })).code).toBe(0);
  });

  test('the start warns of rules that nothing enforces', async () => {
    const folder = project();
    const config = configure(makeFolder('config'), {
      deny: ['secret.*'],
      denyAbsolute: [join(folder, 'notes')],
      roots: [{ path: folder, access: 'read-only' }],
    });
    const { client, connection } = await wrap(SERVER, { flags: ['--config', config] });
    await client.callTool('where');
    await eventually(() => expect(connection.stderr()).toContain('a wrapped server runs without a sandbox'));
    const line = connection
      .stderr()
      .split('\n')
      .find((each) => each.includes('a wrapped server runs without a sandbox'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      rules: [`the read-only root ${folder}`, `"deny" in ${config}`, `"denyAbsolute" in ${config}`],
    });
  });

  test('a start without such rules warns of nothing', async () => {
    const { client, connection } = await wrap(SERVER, { roots: roots(project()) });
    await client.callTool('where');
    expect(connection.stderr()).not.toContain('sandbox');
  });
});
