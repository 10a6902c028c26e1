import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isAlive, isRunning, thisProcess } from '../../src/platform/process-identity.js';
import { listProcesses, readProcessStat } from '../../src/platform/process-stat.js';

test('isRunning() knows this process, and a later one with its number', () => {
  const own = thisProcess();
  expect(isRunning(own)).toBe(true);
  expect(isRunning({ pid: own.pid, start: '' })).toBe(true);
  // Where the system tells no start, the number is all there is.
  expect(isRunning({ pid: own.pid, start: own.start && '1' })).toBe(own.start === '');
});

test('isAlive() is false for a process that ended and for what is not a process id', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  expect(isAlive(child.pid!)).toBe(false);
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) expect(isAlive(pid)).toBe(false);
});

test.runIf(process.platform === 'linux')('readProcessStat() tells the parent of a process', () => {
  expect(readProcessStat(process.pid)?.parent).toBe(process.ppid);
  expect(listProcesses()).toContain(process.pid);
});
