import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Pin } from '../../../src/scope/pin/pin.js';
import { systemPlatform } from '../../../src/scope/pin/system.js';
import { TemporaryFiles } from '../../../src/scope/operations/temporary-files.js';
import { scopeOf, useTree } from '../fixture.js';

const tree = useTree();
const onLinux = process.platform === 'linux';
const DAY_MS = 24 * 60 * 60 * 1000;

const opened: Pin[] = [];
afterEach(() => {
  for (const pin of opened.splice(0)) pin.close();
});

function pinned(path: string): Pin {
  const pin = systemPlatform().pin(path);
  opened.push(pin);
  return pin;
}

/** The name another process would use: ours, with its process id and start time in place of ours. */
function nameOf(pid: number, start?: string): string {
  const parts = new TemporaryFiles().next().split('-');
  parts[2] = pid.toString(36);
  if (start !== undefined) parts[3] = start;
  return parts.join('-');
}

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]).toString(36);
}

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid!;
}

test('TemporaryFiles.next() never gives a name twice, across instances either', async () => {
  const [one, two] = [new TemporaryFiles(), new TemporaryFiles()];
  const names = [one.next(), one.next(), two.next(), two.next()];
  expect(new Set(names).size).toBe(4);
});

test('two scopes of one process write to the same folder at the same time', async () => {
  const content = Buffer.alloc(4 * 1024 * 1024, 'x');
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => scopeOf(tree().inside).write(name, content, { mode: 'new' })),
  );
  expect(tree().names()).toEqual(['a', 'b', 'c', 'd']);
});

test('TemporaryFiles.sweep() removes what a dead process left behind', async () => {
  const name = nameOf(await deadProcess());
  tree().make({ [name]: 'half', 'kept.txt': 'kept' });
  await new TemporaryFiles().sweep(pinned(tree().inside));
  expect(tree().names()).toEqual(['kept.txt']);
});

test('a write removes what a dead process left behind in the same folder', async () => {
  tree().make({ [nameOf(await deadProcess())]: 'half' });
  await scopeOf(tree().inside).write('a.txt', 'whole');
  expect(tree().names()).toEqual(['a.txt']);
});

test('TemporaryFiles.sweep() keeps the files of a living process', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(child, 'spawn');
  try {
    const name = nameOf(child.pid!, onLinux ? startOf(child.pid!) : undefined);
    tree().make({ [name]: 'half' });
    await new TemporaryFiles().sweep(pinned(tree().inside));
    expect(tree().names()).toEqual([name]);
  } finally {
    child.stdin.end();
    await once(child, 'exit');
  }
});

test('TemporaryFiles.sweep() keeps the files of its own process', async () => {
  const name = new TemporaryFiles().next();
  tree().make({ [name]: 'half' });
  await new TemporaryFiles().sweep(pinned(tree().inside));
  expect(tree().names()).toEqual([name]);
});

test.runIf(onLinux)(
  'TemporaryFiles.sweep() is not misled by a process id that was given out again',
  async () => {
    tree().make({ [nameOf(process.pid, '1')]: 'half' });
    await new TemporaryFiles().sweep(pinned(tree().inside));
    expect(tree().names()).toEqual([]);
  },
);

test('TemporaryFiles.sweep() gives files of another machine or container a day', async () => {
  const foreign = new TemporaryFiles().next().replace(/^\.rootward-[0-9a-f]+/, '.rootward-ffffffffffff');
  tree().make({ [foreign]: 'half' });
  await new TemporaryFiles().sweep(pinned(tree().inside));
  expect(tree().names()).toEqual([foreign]);
  const old = new Date(Date.now() - DAY_MS - 60_000);
  utimesSync(tree().in(foreign), old, old);
  await new TemporaryFiles().sweep(pinned(tree().inside));
  expect(tree().names()).toEqual([]);
});

test('TemporaryFiles.sweep() leaves alone what only looks similar', async () => {
  const dead = await deadProcess();
  const [folder, link] = [nameOf(dead), nameOf(dead)];
  mkdirSync(tree().in(folder));
  symlinkSync(tree().outside, tree().in(link));
  tree().make({ '.rootward-notes.tmp': 'mine', '.rootward.json': '{}' });
  const before = tree().names();
  await new TemporaryFiles().sweep(pinned(tree().inside));
  expect(tree().names()).toEqual(before);
});

test('TemporaryFiles.sweep() looks at a folder once, and at every folder', async () => {
  const temporaries = new TemporaryFiles();
  const dead = await deadProcess();
  tree().make({ one: {}, two: {} });
  await temporaries.sweep(pinned(tree().in('one')));
  const [late, other] = [tree().in('one', nameOf(dead)), tree().in('two', nameOf(dead))];
  for (const path of [late, other]) writeFileSync(path, 'half');
  for (const name of ['one', 'two']) await temporaries.sweep(pinned(join(tree().inside, name)));
  expect(lstatSync(late, { throwIfNoEntry: false })).toBeDefined();
  expect(lstatSync(other, { throwIfNoEntry: false })).toBeUndefined();
});

test('TemporaryFiles.discard() removes what is half-written, and what is finished stays', async () => {
  const temporaries = new TemporaryFiles();
  const directory = pinned(tree().inside);
  const [half, whole] = [temporaries.begin(directory), temporaries.begin(directory)];
  for (const path of [half, whole]) writeFileSync(path, '');
  temporaries.end(whole);
  temporaries.discard();
  expect(lstatSync(half, { throwIfNoEntry: false })).toBeUndefined();
  expect(lstatSync(whole).isFile()).toBe(true);
});
