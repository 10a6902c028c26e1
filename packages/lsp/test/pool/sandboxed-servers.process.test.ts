import { openSandbox, type HiddenPath } from '@rootward/sandbox';
import { LanguageServers } from '@rootward/lsp';
import { afterAll, expect, test } from 'vitest';
import { Folder } from '../fixtures/folder.js';
import { giveRoots, liveWorkspace } from '../fixtures/live-workspace.js';
import { scripted } from '../fixtures/scripted.js';

const sandbox = await openSandbox({ level: 'auto' });
const FOLLOWS = { workspace: { workspaceFolders: { supported: true, changeNotifications: true } } };

afterAll(() => sandbox?.dispose());

test.skipIf(sandbox === undefined)(
  'a server in a sandbox goes on while its roots cover the same places and rules deny the same in them',
  async () => {
    using home = new Folder({ 'one/a.toy': 'a', 'one/inner/b.toy': 'b', 'two/c.toy': 'c' });
    const [one, inner, two] = [home.at('one'), home.at('one/inner'), home.at('two')];
    const workspace = await liveWorkspace(one);
    let denied: readonly HiddenPath[] = [];
    await using servers = new LanguageServers(workspace, {
      servers: [scripted({ capabilities: FOLLOWS })],
      sandbox: { open: () => Promise.resolve(sandbox), denied: () => Promise.resolve(denied) },
    });
    const pid = (): Promise<number> =>
      servers.ask(workspace.scope(), home.at('one/a.toy'), async ({ process: { pid: id } }) => id);

    const first = await pid();
    await giveRoots(workspace, one, inner);
    expect(await pid()).toBe(first);

    await giveRoots(workspace, one);
    expect(await pid()).toBe(first);

    denied = [{ path: home.at('one/inner/b.toy'), kind: 'file', why: 'rule' }];
    await giveRoots(workspace, one, inner);
    const second = await pid();
    expect(second).not.toBe(first);

    await giveRoots(workspace, one, two);
    const third = await pid();
    expect(third).not.toBe(second);
    await giveRoots(workspace, one);
    expect(await pid()).not.toBe(third);
    workspace.dispose();
  },
);
