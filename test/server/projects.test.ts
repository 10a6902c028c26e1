import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answering } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { startHttp, TOKEN } from './fixtures/http.js';
import { bareEnvironment, connectRootward, makeFolders, PROGRAM, textOf } from './fixtures/rootward.js';
import { connectSdkClient, SDK_CLIENTS } from './fixtures/sdk-clients.js';

const folders = makeFolders('one', 'two');
for (const name of ['one', 'two'] as const) {
  mkdirSync(join(folders.path(name), 'app'));
  writeFileSync(join(folders.path(name), 'app', 'README.md'), `# The app in ${name}`);
}
const appIn = (name: 'one' | 'two'): string => join(folders.path(name), 'app');
const uriOf = (name: 'one' | 'two'): string => pathToFileURL(appIn(name)).href;

describe.each(SDK_CLIENTS)('two clients %s of one HTTP server', (kind) => {
  test('work in two folders of the same name at once, and never see the other', async () => {
    const { url } = await startHttp([folders.top]);
    const connect = (name: 'one' | 'two') =>
      connectSdkClient(kind, { url, token: TOKEN }, [{ uri: uriOf(name) }]);
    const [one, two] = [await connect('one'), await connect('two')];
    const read = async (client: typeof one): Promise<string> =>
      textOf(await client.call('category_content', { category: 'docs' }));
    const texts = await Promise.all([read(one), read(two), read(one), read(two)]);
    const expected = ['# The app in one', '# The app in two'];
    expect(texts).toEqual([...expected, ...expected]);
    expect(JSON.stringify(await two.read('guide://docs/README.md'))).toContain('# The app in two');
    await Promise.all([one.close(), two.close()]);
  });
});

test('what `rootward settings` writes is in force for that folder, and for no other of its name', async () => {
  const env = { ...bareEnvironment(), XDG_CONFIG_HOME: join(folders.top, 'config') };
  const args = [PROGRAM, 'settings', appIn('one'), '--deny', 'README.md', '--category', 'mine=.'];
  execFileSync(process.execPath, args, { env });
  const look = async (name: 'one' | 'two') => {
    const { client } = await connectRootward([], { roots: answering([{ uri: uriOf(name) }]) }, { env });
    const { structuredContent } = await client.callTool('category_list');
    return structuredContent;
  };
  expect(await look('one')).toMatchObject({ value: { categories: [{ name: 'mine', documentCount: 0 }] } });
  expect(await look('two')).toMatchObject({ value: { categories: [{ name: 'docs', documentCount: 1 }] } });
});
