import { readPathRoots, readRoots, Scope, type Root } from '@rootward/core';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compare } from '../measure.js';
import { loadPeer, loadPeerRoots, peerName } from '../peer.js';
import type { Row, Section } from '../row.js';

const MANY = 5000;

function makeFolders(base: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const path = join(base, 'projects', `group-${index % 50}`, `project-${index}`);
    mkdirSync(path, { recursive: true });
    return path;
  });
}

async function rootsAt(paths: readonly string[]): Promise<readonly Root[]> {
  const entries = paths.map((path) => ({ path }));
  return (await readPathRoots(entries, { source: 'flag', home: homedir() })).roots;
}

async function reading(file: string, folders: readonly string[]): Promise<Row[]> {
  const peer = await loadPeer();
  const rows: Row[] = [];
  for (const count of [1, 100, MANY]) {
    const paths = folders.slice(-count);
    const scope = new Scope({ roots: await rootsAt(paths) });
    peer.setAllowedDirectories(paths);
    const [ours = 0, theirs = 0] = await compare(
      [() => scope.readText(file), async () => peer.readFileContent(await peer.validatePath(file))],
      { perBatch: count === MANY ? 40 : 300 },
    );
    const what = `check and read a 1 KB file, ${count} root${count === 1 ? '' : 's'}`;
    rows.push({ what, unit: 'µs', ours, peer: theirs, goal: 0.6 });
  }
  return rows;
}

async function lookup(file: string, folders: readonly string[]): Promise<Row[]> {
  const one = new Scope({ roots: await rootsAt(folders.slice(-1)) });
  const hundred = new Scope({ roots: await rootsAt(folders.slice(-100)) });
  const many = new Scope({ roots: await rootsAt(folders) });
  const [atOne = 0, atHundred = 0, atMany = 0] = await compare([
    () => one.contains(file),
    () => hundred.contains(file),
    () => many.contains(file),
  ]);
  return [
    {
      what: 'lookup, 100 roots against 1',
      unit: 'µs',
      ours: atHundred,
      peer: atOne,
      peerName: 'ours, 1 root',
      goal: 1.5,
    },
    {
      what: `lookup, ${MANY} roots against 1`,
      unit: 'µs',
      ours: atMany,
      peer: atOne,
      peerName: 'ours, 1 root',
      goal: 1.5,
    },
  ];
}

async function refresh(folders: readonly string[]): Promise<Row[]> {
  const peer = await loadPeerRoots();
  const declared = folders.map((path) => ({ uri: pathToFileURL(path).href }));
  const [ours = 0, theirs = 0] = await compare(
    [
      () => readRoots(declared, { source: 'client', home: homedir() }),
      () => peer.getValidRootDirectories(declared),
    ],
    { batches: 9, perBatch: 1 },
  );
  return [{ what: `read ${MANY} roots`, unit: 'ms', ours: ours / 1000, peer: theirs / 1000, goal: 0.15 }];
}

/** The fence itself, as a library, against the validation of the reference server. */
export async function benchFence(): Promise<Section> {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-bench-'));
  try {
    const folders = makeFolders(base, MANY);
    const file = join(folders[0] ?? base, 'file.txt');
    writeFileSync(file, 'x'.repeat(1024));
    // The file is in the last root: a list that is searched from its start shows what that costs.
    folders.reverse();
    const rows = [
      ...(await reading(file, folders)),
      ...(await lookup(file, folders)),
      ...(await refresh(folders)),
    ];
    return { title: 'The fence (@rootward/core)', peer: peerName, rows };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
