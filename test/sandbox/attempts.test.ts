import { execFile, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const everyAttempt = JSON.parse(readFileSync(join(folder, 'attempts.json'), 'utf8')) as readonly Attempt[];
const ordinaryAttempts = everyAttempt.filter(({ needs }) => needs !== 'root');
const attempts = isRoot ? everyAttempt : ordinaryAttempts;
const command = [process.execPath, join(folder, 'run-attempts.mjs')];
const working = new Set(
  (await findBackends()).flatMap(({ name, backend }) => (backend === undefined ? [] : [name])),
);
/** Descriptors that the runner is started with, and that no child may get. */
const START =
  'exec 50<"$1/inherited/secret.txt" 51>>"$1/inherited/append.txt" 52<"$1/inherited"; shift; exec "$@"';
/** Pids, mounts and the processes left behind go with it. */
const NAMESPACES = ['unshare', '--pid', '--mount', '--fork', '--mount-proc', '--kill-child'];

/** Nobody's files, processes and rights. */
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', '--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'];

let world: string;

beforeAll(() => {
  world = makeWorld();
});

afterAll(() => rmSync(world, { recursive: true, force: true }));

/** Not below /tmp, which is private in some sandboxes and would hide what they let through. */
function makeWorld(): string {
  const made = mkdtempSync('/var/tmp/rootward-attempts-');
  mkdirSync(join(made, 'inherited'));
  for (const name of ['secret.txt', 'append.txt', 'py-inherited-folder.txt']) {
    writeFileSync(join(made, 'inherited', name), 'secret');
  }
  return made;
}

async function runAttempts(
  configurations: readonly Configuration[],
  { place = world, prefix = isRoot ? NAMESPACES : [] }: { place?: string; prefix?: readonly string[] } = {},
): Promise<readonly Results[]> {
  const args = [...command, place, JSON.stringify(configurations)];
  const env = { ...process.env, A_PYTHON: '/usr/bin/python3' };
  const { stdout } = await run('/bin/bash', ['-c', START, 'start', place, ...prefix, ...args], {
    env,
    cwd: '/',
  });
  return JSON.parse(stdout) as readonly Results[];
}

function namesOf(results: Results, got: boolean, among = attempts): readonly string[] {
  return among.flatMap(({ name }) => (results[name] === got ? [name] : [])).sort();
}

function expected(isExpected: (attempt: Attempt) => boolean, among = attempts): readonly string[] {
  return among.flatMap((attempt) => (isExpected(attempt) ? [attempt.name] : [])).sort();
}

function worksAsNobody(...args: readonly string[]): boolean {
  return spawnSync('/usr/bin/env', [...AS_NOBODY, ...args], { cwd: '/' }).status === 0;
}

function held({ allowedAtWrite }: Attempt): boolean {
  return allowedAtWrite !== true;
}

describe.skipIf(process.platform !== 'linux')('Attempts to get out', () => {
  test('there are at least 100, and each succeeds without a sandbox', async () => {
    const [results = {}] = await runAttempts([{ level: 'off' }]);
    expect(attempts.length).toBeGreaterThanOrEqual(100);
    expect(namesOf(results, true)).toEqual(expected(() => true));
  });

  test.skipIf(!working.has('bubblewrap'))('none succeeds with bubblewrap', async () => {
    const [strict = {}, write = {}] = await runAttempts([
      { level: 'strict', backend: 'bubblewrap' },
      { level: 'write', backend: 'bubblewrap' },
    ]);
    expect(namesOf(strict, false)).toEqual(expected(() => true));
    expect(namesOf(write, false)).toEqual(expect.arrayContaining([...expected(held)]));
  });

  test.skipIf(!working.has('landlock'))('exactly the listed ones succeed with Landlock', async () => {
    const [strict = {}, write = {}] = await runAttempts([
      { level: 'strict', backend: 'landlock' },
      { level: 'write', backend: 'landlock' },
    ]);
    expect(namesOf(strict, true)).toEqual(expected(({ contents }) => contents === 'open'));
    const names = new Set(expected(held));
    expect(namesOf(write, true).filter((name) => names.has(name))).toEqual(
      expected((attempt) => held(attempt) && attempt.contents === 'open'),
    );
  });

  test('an ordinary user is held just the same', async ({ skip }) => {
    if (!isRoot) skip('every other test here runs as an ordinary user');
    if (!worksAsNobody(...command, '/', '[]')) skip('an ordinary user cannot run Node here');
    // Many systems keep namespaces from ordinary users.
    const canIsolate = worksAsNobody('bwrap', '--unshare-pid', '--ro-bind', '/', '/', 'true');
    const place = makeWorld();
    try {
      for (const path of ['', 'inherited', 'inherited/secret.txt', 'inherited/append.txt']) {
        chownSync(join(place, path), NOBODY, NOBODY);
      }
      const backends = (['bubblewrap', 'landlock'] as const).filter(
        (backend) => working.has(backend) && (backend === 'landlock' || canIsolate),
      );
      const [off = {}, ...inside] = await runAttempts(
        [{ level: 'off' }, ...backends.map((backend) => ({ level: 'strict', backend }) as const)],
        { place, prefix: AS_NOBODY },
      );
      expect(namesOf(off, false, ordinaryAttempts)).toEqual([]);
      for (const [index, backend] of backends.entries()) {
        const open = ({ contents }: Attempt): boolean => backend === 'landlock' && contents === 'open';
        expect(namesOf(inside[index] ?? {}, true, ordinaryAttempts)).toEqual(
          expected(open, ordinaryAttempts),
        );
      }
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
