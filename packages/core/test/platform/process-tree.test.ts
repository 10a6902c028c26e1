import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { killTrees, residentMemory, treeOf } from '../../src/platform/process-tree.js';
import { eventually } from '../../../../testing/eventually.js';

const entry = (pid: number, parent: number, group: number, session = 0) => ({ pid, parent, group, session });

test('treeOf() finds descendants, whatever order the table has', () => {
  const table = [entry(4, 3, 1), entry(3, 2, 1), entry(2, 1, 1), entry(9, 1, 1)];
  expect(treeOf(2, table)).toEqual([2, 3, 4]);
});

test('treeOf() finds members of the group whose parent is gone, and what they started', () => {
  const table = [entry(2, 1, 2), entry(5, 1, 2), entry(6, 5, 6)];
  expect(new Set(treeOf(2, table))).toEqual(new Set([2, 5, 6]));
});

test('treeOf() finds the rest of a group whose leader has ended', () => {
  expect(treeOf(2, [entry(5, 1, 2)])).toEqual([5]);
});

test('treeOf() leaves a group alone when the pid belongs to a process that does not lead it', () => {
  expect(treeOf(2, [entry(2, 1, 1), entry(7, 1, 2)])).toEqual([2]);
});

test('treeOf() finds what made a group of its own in the session, also when the leader has ended', () => {
  const rest = [entry(5, 1, 5, 2), entry(6, 5, 6, 2), entry(7, 1, 7, 1)];
  expect(treeOf(2, [entry(2, 1, 2, 2), ...rest])).toEqual([2, 5, 6]);
  expect(treeOf(2, rest)).toEqual([5, 6]);
});

test('treeOf() leaves a session alone when the pid belongs to a process that does not lead it', () => {
  expect(treeOf(2, [entry(2, 1, 2, 1), entry(7, 1, 7, 2)])).toEqual([2]);
});

test('treeOf() is empty for a process that is not there', () => {
  expect(treeOf(2, [entry(1, 0, 1)])).toEqual([]);
});

test('killTrees() ends children of children, and residentMemory() counts them', async () => {
  const source = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']); console.log(pid);setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ['-e', source], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout, 'data');
  const grandchild = Number(String(line));
  expect(residentMemory(child.pid!)).toBeGreaterThan(residentMemory(grandchild)!);
  expect(killTrees([child.pid!], 'SIGKILL')).toEqual([child.pid, grandchild]);
  await once(child, 'exit');
  await eventually(() => expect(residentMemory(grandchild)).toBeUndefined());
});

test.runIf(process.platform === 'linux')(
  'killTrees() ends the jobs of a shell with job control that has ended',
  async () => {
    const script = 'set -m; sleep 1000 >/dev/null 2>&1 & echo $!';
    const shell = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const [[line]] = await Promise.all([once(shell.stdout, 'data'), once(shell, 'exit')]);
    const job = Number(String(line));
    expect(killTrees([shell.pid!], 'SIGKILL')).toEqual([job]);
    await eventually(() => expect(residentMemory(job)).toBeUndefined());
  },
);
