import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findBackends } from '@rootward/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Attempt {
  readonly name: string;
  /** What it tries, outside the roots where nothing else is said; the guide shows it. */
  readonly does: string;
  /** Level `write` lets everything be read and the network be used. */
  readonly allowedAtWrite?: boolean;
  /** `open`: guarantee `contents` does not hold it back. */
  readonly contents?: 'open';
  /** Succeeds without a sandbox only for this user. */
  readonly needs?: 'root';
}

interface Configuration {
  readonly level: 'off' | 'write' | 'strict';
  readonly backend?: 'bubblewrap' | 'landlock';
}

type Results = Readonly<Record<string, boolean>>;

const run = promisify(execFile);
const folder = fileURLToPath(new URL('attempts/', import.meta.url));
const isRoot = process.getuid?.() === 0;
const attempts = (
  JSON.parse(readFileSync(join(folder, 'attempts.json'), 'utf8')) as readonly Attempt[]
).filter(({ needs }) => isRoot || needs !== 'root');
const working = new Set(
  (await findBackends()).flatMap(({ name, backend }) => (backend === undefined ? [] : [name])),
);
/** Descriptors that the runner is started with, and that no child may get. */
const START =
  'exec 50<"$1/inherited/secret.txt" 51>>"$1/inherited/append.txt" 52<"$1/inherited"; shift; exec "$@"';
/** Pids, mounts and the processes left behind go with it. */
const NAMESPACES = ['unshare', '--pid', '--mount', '--fork', '--mount-proc', '--kill-child'];

let world: string;

beforeAll(() => {
  // Not below /tmp, which is private in some sandboxes and would hide what they let through.
  world = mkdtempSync('/var/tmp/rootward-attempts-');
  mkdirSync(join(world, 'inherited'));
  for (const name of ['secret.txt', 'py-inherited-folder.txt']) {
    writeFileSync(join(world, 'inherited', name), 'secret');
  }
});

afterAll(() => rmSync(world, { recursive: true, force: true }));

async function runAttempts(...configurations: readonly Configuration[]): Promise<readonly Results[]> {
  const command = [process.execPath, join(folder, 'run-attempts.mjs'), world, JSON.stringify(configurations)];
  const started = ['-c', START, 'start', world, ...(isRoot ? NAMESPACES : []), ...command];
  const env = { ...process.env, A_PYTHON: '/usr/bin/python3' };
  const { stdout } = await run('/bin/bash', started, { env, cwd: '/' });
  return JSON.parse(stdout) as readonly Results[];
}

function namesOf(results: Results, got: boolean): readonly string[] {
  return attempts.flatMap(({ name }) => (results[name] === got ? [name] : [])).sort();
}

function expected(isExpected: (attempt: Attempt) => boolean): readonly string[] {
  return attempts.flatMap((attempt) => (isExpected(attempt) ? [attempt.name] : [])).sort();
}

function held({ allowedAtWrite }: Attempt): boolean {
  return allowedAtWrite !== true;
}

describe.skipIf(process.platform !== 'linux')('Attempts to get out', () => {
  test('there are at least 100, and each succeeds without a sandbox', async () => {
    const [results = {}] = await runAttempts({ level: 'off' });
    expect(attempts.length).toBeGreaterThanOrEqual(100);
    expect(namesOf(results, true)).toEqual(expected(() => true));
  });

  test.skipIf(!working.has('bubblewrap'))('none succeeds with bubblewrap', async () => {
    const [strict = {}, write = {}] = await runAttempts(
      { level: 'strict', backend: 'bubblewrap' },
      { level: 'write', backend: 'bubblewrap' },
    );
    expect(namesOf(strict, false)).toEqual(expected(() => true));
    expect(namesOf(write, false)).toEqual(expect.arrayContaining([...expected(held)]));
  });

  test.skipIf(!working.has('landlock'))('exactly the listed ones succeed with Landlock', async () => {
    const [strict = {}, write = {}] = await runAttempts(
      { level: 'strict', backend: 'landlock' },
      { level: 'write', backend: 'landlock' },
    );
    expect(namesOf(strict, true)).toEqual(expected(({ contents }) => contents === 'open'));
    const names = new Set(expected(held));
    expect(namesOf(write, true).filter((name) => names.has(name))).toEqual(
      expected((attempt) => held(attempt) && attempt.contents === 'open'),
    );
  });
});
