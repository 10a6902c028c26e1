import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Folder } from '../fixtures/folder.js';
import { environment } from '../fixtures/real-servers.js';
import { eventually } from '../../../../testing/eventually.js';

const STARTS = 12;
const AT_ONCE = 4;
const ENDS = ['dispose', 'exit', 'SIGTERM', 'SIGKILL'] as const;

let home: Folder;

beforeAll(() => {
  home = new Folder({ 'root/tsconfig.json': '{}', 'root/a.ts': 'export const one = 1;\n' });
});

afterAll(() => home[Symbol.dispose]());

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

async function startAndEnd(end: (typeof ENDS)[number]): Promise<number> {
  const program = fileURLToPath(new URL('../fixtures/host-process.mjs', import.meta.url));
  const child: ChildProcess = fork(program, [home.at('root'), end], { env: environment });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('error', reject);
  });
  const exited = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  if (end === 'SIGTERM' || end === 'SIGKILL') child.kill(end);
  await exited;
  return pid;
}

test(`${STARTS} processes with a language server running end in every way and leave none behind`, async () => {
  const ends = Array.from({ length: STARTS }, (_, index) => ENDS[index % ENDS.length]!);
  const pids: number[] = [];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) pids.push(await startAndEnd(end));
  });
  await Promise.all(workers);
  expect(pids).toHaveLength(STARTS);
  expect(new Set(pids).size).toBe(STARTS);
  await eventually(() => expect(pids.filter(isRunning)).toEqual([]));
});
