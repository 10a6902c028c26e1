import { chmodSync, existsSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeAnnouncement } from '../../src/trees/announced-calls.js';
import { makeTree } from '../workspace/scripted-client.js';

function announce(folder: string, name: string, id: string): string {
  const file = join(folder, name);
  writeFileSync(file, `"cwd":"/tree/${id}"\n"agent_id":"a"\n"tool_use_id":"${id}"\n`);
  return file;
}

test('takeAnnouncement() hands out what was noted down about a call, once', () => {
  const folder = makeTree('calls')('calls');
  announce(folder, '1.call', 'one');
  announce(folder, '2.call', 'two');
  expect(takeAnnouncement(folder, 'two')).toEqual({ cwd: '/tree/two', agent: 'a' });
  expect(takeAnnouncement(folder, 'two')).toBeUndefined();
  expect(takeAnnouncement(folder, 'one')).toEqual({ cwd: '/tree/one', agent: 'a' });
});

test('takeAnnouncement() removes what is old, and nothing else', () => {
  const folder = makeTree('calls')('calls');
  const old = announce(folder, '1.call', 'one');
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(old, hourAgo, hourAgo);
  const recent = announce(folder, '2.call', 'two');
  const foreign = announce(folder, 'notes.txt', 'three');
  utimesSync(foreign, hourAgo, hourAgo);
  expect(takeAnnouncement(folder, 'none')).toBeUndefined();
  expect([old, recent, foreign].map((file) => existsSync(file))).toEqual([false, true, true]);
});

test.skipIf(process.platform === 'win32')(
  'takeAnnouncement() believes neither links nor a folder that others can write to',
  () => {
    const tree = makeTree('calls', 'other');
    const folder = tree('calls');
    symlinkSync(announce(tree('other'), '1.call', 'one'), join(folder, '1.call'));
    expect(takeAnnouncement(folder, 'one')).toBeUndefined();
    announce(folder, '2.call', 'two');
    symlinkSync(folder, join(tree('other'), 'link'));
    expect(takeAnnouncement(join(tree('other'), 'link'), 'two')).toBeUndefined();
    chmodSync(folder, 0o777);
    expect(takeAnnouncement(folder, 'two')).toBeUndefined();
    chmodSync(folder, 0o700);
    expect(takeAnnouncement(folder, 'two')).toEqual({ cwd: '/tree/two', agent: 'a' });
  },
);

test.each([
  '',
  '{',
  '"cwd":"\\x"\n"tool_use_id":"one"',
  '"cwd":"/a',
  '"cwd":"\\x","tool_use_id":"one"',
  '\0',
])('takeAnnouncement() passes over a file that holds %j', (text) => {
  const folder = makeTree('calls')('calls');
  writeFileSync(join(folder, '1.call'), text);
  expect(takeAnnouncement(folder, 'one')).toBeUndefined();
});
