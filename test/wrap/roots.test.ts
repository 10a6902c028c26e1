import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answering, silent } from '@rootward/mcp/testing';
import { INNER, jsonOf, makeFolder, roots, textOf, uri, wrap, type Wrapped } from './fixtures/wrapped.js';

const NODE = process.execPath;

describe('the inner server gets the right roots', () => {
  test('from the client, and starts in the first of them with placeholders filled in', async () => {
    const folder = makeFolder('a');
    const other = makeFolder('b');
    const { client } = await wrap([NODE, INNER, '{roots}', '--name={project}'], {
      roots: roots(folder, other, folder),
      flags: ['--set-env', 'FOLDER={root}'],
    });
    expect(jsonOf(await client.callTool('where'))).toMatchObject({
      cwd: folder,
      pwd: folder,
      folder,
      args: [folder, other, '--name=a'],
    });
    expect(JSON.parse(textOf(await client.callTool('roots')))).toEqual([uri(folder), uri(other)]);
  });

  test('but not in a list where a folder would become two entries', async () => {
    const ceiling = makeFolder('ceil');
    const [folder, plain] = [join(ceiling, 'a:/etc'), join(ceiling, 'b')];
    for (const each of [folder, plain]) mkdirSync(each, { recursive: true });
    const start = (flag: string): Promise<Wrapped> =>
      wrap([NODE, INNER], { roots: roots(plain), flags: ['--within', ceiling, '--set-env', flag] });
    for (const flag of ['FOLDER={roots}', 'FOLDER=/opt:{root}']) {
      const { client } = await start(flag);
      expect((await client.callTool('where'))['isError']).toBeUndefined();
      client.changeRoots(roots(folder));
      const refused = await client.callTool('where');
      expect(refused['isError']).toBe(true);
      expect(textOf(refused)).toContain(`the folder ${JSON.stringify(folder)} cannot be put into the list`);
    }
    const { client } = await start('FOLDER={roots:json}');
    client.changeRoots(roots(folder, plain));
    expect(jsonOf(await client.callTool('where'))['folder']).toBe(JSON.stringify([folder, plain]));
  });

  test('with roots and listChanged declared, whatever the client declares', async () => {
    const { introduction } = await wrap([NODE, INNER], { capabilities: { sampling: {} } });
    expect(JSON.parse(introduction['instructions'] as string)).toEqual({
      roots: { listChanged: true },
      sampling: {},
    });
  });

  test('from the process directory, where the client knows nothing of roots', async () => {
    const cwd = makeFolder('here');
    const { client } = await wrap([NODE, INNER], { cwd });
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd });
  });

  test('from the metadata of a call of Codex, for that call', async () => {
    const cwd = makeFolder('here');
    const there = makeFolder('there');
    const { client, introduction } = await wrap([NODE, INNER], {
      cwd,
      clientInfo: { name: 'codex-mcp-client', version: '1' },
    });
    expect(introduction['capabilities']).toMatchObject({ experimental: { 'codex/sandbox-state-meta': {} } });
    const meta = { 'codex/sandbox-state-meta': { sandboxCwd: uri(there) } };
    expect(jsonOf(await client.callTool('where', {}, { meta }))).toMatchObject({ cwd: there });
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd });
  });

  test('from flags, cut to the ceiling', async () => {
    const ceiling = makeFolder('c');
    const inside = join(ceiling, 'in');
    mkdirSync(inside);
    const flagged = await wrap([NODE, INNER], { flags: ['--root', inside] });
    expect(jsonOf(await flagged.client.callTool('where'))).toMatchObject({ cwd: inside });
    const outside = makeFolder('outside');
    const cut = await wrap([NODE, INNER], { flags: ['--within', ceiling], roots: roots(outside, inside) });
    expect(JSON.parse(textOf(await cut.client.callTool('roots')))).toEqual([uri(inside)]);
  });

  test('from the process directory and from metadata, cut to the ceiling as well', async () => {
    const [ceiling, outside] = [makeFolder('c'), makeFolder('outside')];
    const inside = join(ceiling, 'in');
    mkdirSync(inside);
    const flags = ['--within', ceiling];
    const codex = { clientInfo: { name: 'codex-mcp-client', version: '1' } };
    const [here, there] = [
      await wrap([NODE, INNER], { flags, cwd: inside, ...codex }),
      await wrap([NODE, INNER], { flags, cwd: outside }),
    ];
    expect(jsonOf(await here.client.callTool('where'))).toMatchObject({ cwd: inside });
    const meta = { 'codex/sandbox-state-meta': { sandboxCwd: uri(outside) } };
    // A folder outside does not count; where no other is known, the ceiling does.
    expect(jsonOf(await here.client.callTool('where', {}, { meta }))).toMatchObject({ cwd: inside });
    expect(jsonOf(await there.client.callTool('where'))).toMatchObject({ cwd: ceiling });
  });

  test('and calls are refused while there are none', async () => {
    const { client } = await wrap([NODE, INNER], {
      roots: answering([]),
      flags: ['--client-roots', 'replace'],
      cwd: '/',
    });
    const refused = await client.callTool('where');
    expect(refused['isError']).toBe(true);
    expect(textOf(refused)).toContain('Project context not available');
    expect(await client.request('tools/list')).toHaveProperty('tools');
  });

  test('and a list of the server that only learns the roots is not announced', async () => {
    const folder = makeFolder('a');
    const told = (): string[] => client.received.flatMap((each) => ('method' in each ? [each.method] : []));
    const { client } = await wrap([NODE, INNER, '{root}', '--announce'], {
      roots: (asked) => {
        const answer = (): void => asked.answer([{ uri: uri(folder) }]);
        void client.until(() => told().includes('notifications/message')).then(answer);
      },
    });
    await client.until(() => told().includes('notifications/message'));
    expect(told()).not.toContain('notifications/tools/list_changed');
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: folder });
    await client.until(() => told().includes('notifications/tools/list_changed'));
  });

  test('and a client that never answers is not waited for by lists', async () => {
    const { client } = await wrap([NODE, INNER], { roots: silent });
    expect(await client.request('tools/list')).toHaveProperty('tools');
  });
});

describe('a change of roots', () => {
  test('is told to a server that asked for them', async () => {
    const [a, b] = [makeFolder('a'), makeFolder('b')];
    const { client } = await wrap([NODE, INNER, '--roots'], { roots: roots(a) });
    const { pid } = jsonOf(await client.callTool('where'));
    client.changeRoots(roots(a, b));
    await client.until(() => JSON.stringify(client.received).includes(uri(b)));
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ pid, cwd: a });
    expect(JSON.parse(textOf(await client.callTool('roots')))).toEqual([uri(a), uri(b)]);
  });

  test('restarts a server that knows them by its directory, and announces only a list that differs', async () => {
    const [a, b, c] = [makeFolder('a'), makeFolder('b'), makeFolder('c')];
    const { client } = await wrap([NODE, INNER], { roots: roots(a), env: { EXTRA_TOOL_FOR: c } });
    await client.request('tools/list');
    const { pid } = jsonOf(await client.callTool('where'));
    const announced = (): number =>
      client.received.filter(
        (message) => 'method' in message && message.method === 'notifications/tools/list_changed',
      ).length;
    client.changeRoots(roots(b));
    const second = jsonOf(await client.callTool('where'));
    expect(second).toMatchObject({ cwd: b });
    expect(second['pid']).not.toBe(pid);
    client.changeRoots(roots(c));
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: c });
    await client.until(() => announced() > 0);
    expect(announced()).toBe(1);
  });

  test.each(['notify', 'restart'] as const)('follows --on-change %s', async (policy) => {
    const [a, b] = [makeFolder('a'), makeFolder('b')];
    const { client } = await wrap([NODE, INNER, '--roots'], {
      roots: roots(a),
      flags: ['--on-change', policy],
    });
    const { pid } = jsonOf(await client.callTool('where'));
    client.changeRoots(roots(b));
    const after = jsonOf(await client.callTool('where'));
    expect(after['pid'] === pid).toBe(policy === 'notify');
    expect(JSON.parse(textOf(await client.callTool('roots')))).toEqual([uri(b)]);
  });
});
