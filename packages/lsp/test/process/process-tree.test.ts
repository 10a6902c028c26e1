import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { killTree, residentMemory, treeOf } from '../../src/process/process-tree.js';

test('treeOf() finds descendants and members of the group, and leaves a foreign group alone', () => {
  const table = [
    { pid: 10, parent: 1, group: 10 },
    { pid: 11, parent: 10, group: 10 },
    { pid: 12, parent: 11, group: 12 },
    { pid: 13, parent: 1, group: 10 },
    { pid: 20, parent: 1, group: 20 },
  ];
  expect(treeOf(10, table)).toEqual([10, 11, 12, 13]);
  expect(treeOf(10, table.slice(2))).toEqual([13]);
  expect(treeOf(11, table)).toEqual([11, 12]);
});

test('killTree() ends children of children, and residentMemory() counts them', async () => {
  const source = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']); console.log(pid);setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ['-e', source], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout, 'data');
  const grandchild = Number(String(line));
  expect(residentMemory(child.pid!)).toBeGreaterThan(residentMemory(grandchild)!);
  killTree(child.pid!, 'SIGKILL');
  await once(child, 'exit');
  await vi.waitFor(() => expect(residentMemory(grandchild)).toBeUndefined(), 30_000);
});
