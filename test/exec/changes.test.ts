import { chmodSync, renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { connectRootward, textOf } from '../server/fixtures/rootward.js';
import { makeProject } from './fixtures/tools-project.js';

const project = makeProject({ first: 'echo 1' });
project.write('tools/noted', '# mcp: {"name":"noted","description":"inline"}\necho noted\n');
project.write('tools/script.sh', '#!/usr/bin/env bash\n# mcp: {"description":"no run bit"}\necho "$0"\n');

test('tools that are added, changed and removed are announced and served, and bad ones only reported', async () => {
  const { server, client } = await connectRootward(['--project', project.path]);
  const announcements = (): number =>
    client.received.filter((each) => 'method' in each && each.method === 'notifications/tools/list_changed')
      .length;
  const described = async (): Promise<Record<string, unknown>> => {
    const { tools } = (await client.request('tools/list')) as {
      tools: { name: string; title: string; description: string }[];
    };
    return Object.fromEntries(tools.map(({ name, description }) => [name, description]));
  };
  const afterChange = async (change: () => void): Promise<Record<string, unknown>> => {
    const before = announcements();
    change();
    await client.until(() => announcements() > before);
    return described();
  };

  expect(await described()).toMatchObject({ first: 'first', script: 'no run bit' });
  expect(textOf(await client.callTool('script'))).toBe(`${project.path}/tools/script.sh\n`);
  expect(await described()).not.toHaveProperty('noted');
  expect(await afterChange(() => chmodSync(`${project.path}/tools/noted`, 0o755))).toMatchObject({
    noted: 'inline',
  });
  expect(textOf(await client.callTool('noted'))).toBe('noted\n');
  expect(await afterChange(() => project.addTool('second', 'echo 2'))).toMatchObject({ second: 'second' });
  expect(textOf(await client.callTool('second'))).toBe('2\n');
  const changed = await afterChange(() =>
    project.write('tools/first/tool.meta.json', '{"name":"first","description":"new words"}'),
  );
  expect(changed).toMatchObject({ first: 'new words' });
  project.addTool('read_file', 'echo mine');
  expect(await afterChange(() => project.remove('tools/second'))).not.toHaveProperty('second');
  await expect(client.callTool('second')).rejects.toThrow('second');
  await eventually(() => {
    expect(server.stderr()).toContain('run bit');
    expect(server.stderr()).toContain('read_file');
  });
});

test('tools that come or go together are announced once', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `tool-${index}`);
  const many = makeProject(Object.fromEntries(names.map((name) => [name, 'echo 1'])));
  const { client } = await connectRootward(['--project', many.path]);
  const listed = async (): Promise<number> => {
    const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
    return tools.filter(({ name }) => names.includes(name)).length;
  };
  const announcements = (): number =>
    client.received.filter((each) => 'method' in each && each.method === 'notifications/tools/list_changed')
      .length;
  expect(await listed()).toBe(20);
  renameSync(`${many.path}/tools`, `${many.path}/elsewhere`);
  await client.until(() => announcements() > 0);
  expect(await listed()).toBe(0);
  expect(announcements()).toBe(1);
});

test('without the toolset, or without the right annotation in a read-only server, no executable is served', async () => {
  project.addTool('reader', { script: 'echo read', meta: { annotations: { readOnlyHint: true } } });
  const names = async (args: readonly string[]): Promise<readonly string[]> => {
    const { client } = await connectRootward(['--project', project.path, ...args]);
    const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
    return tools.map(({ name }) => name);
  };
  const [without, readOnly] = await Promise.all([names(['--toolsets', 'files']), names(['--read-only'])]);
  expect(without).not.toContain('first');
  expect(readOnly).toContain('reader');
  expect(readOnly).not.toContain('first');
});
