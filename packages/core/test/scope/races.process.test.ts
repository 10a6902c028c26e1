import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RootwardError } from '../../src/error.js';
import { Scope } from '../../src/scope/scope.js';
import { rootAt } from './fixture.js';

const SWAPPER = fileURLToPath(new URL('swapper.mjs', import.meta.url));
const INSIDE = 'INSIDE';
const OUTSIDE = 'OUTSIDE, longer than what is inside';
/** `npm run soak` raises it; the short version sees both outcomes thousands of times over all operations. */
const ATTEMPTS = Number(process.env['ROOTWARD_RACE_ATTEMPTS'] ?? 300);
const SHARE = 50;
const VICTIMS = Math.min(400, ATTEMPTS / 2);
/** Only a bound for a machine on which the adversary never gets to run. */
const MAX_MS = Math.max(200_000, ATTEMPTS * 5);

let base: string;
let inside: string;
let outside: string;
let scope: Scope;
let adversary: ChildProcess | undefined;

function fill(directory: string, content: string, name: string): void {
  mkdirSync(join(directory, 'swap', 'sub'), { recursive: true });
  writeFileSync(join(directory, 'swap', 'file.txt'), content);
  writeFileSync(join(directory, 'swap', 'sub', `${name}.txt`), content);
  writeFileSync(join(directory, 'swap', `${name}.txt`), content);
}

/** Operations that use up a file each time they succeed. */
const USING_UP: ReadonlySet<string> = new Set(['rename from', 'rename to', 'remove']);

function addVictims(operation: string, directory: string, content: string): void {
  if (!USING_UP.has(operation)) return;
  for (let index = 0; index < VICTIMS; index++) {
    writeFileSync(join(directory, 'swap', `victim-${index}`), content);
    writeFileSync(join(directory, `mover-${index}`), content);
  }
}

/** Inside and outside with the files that the operation uses up; returns what is outside. */
function prepare(operation: string): readonly string[] {
  addVictims(operation, inside, INSIDE);
  addVictims(operation, outside, OUTSIDE);
  return fingerprint(outside);
}

function fingerprint(directory: string): string[] {
  return readdirSync(directory)
    .sort()
    .flatMap((name) => {
      const path = join(directory, name);
      const stats = lstatSync(path);
      if (stats.isDirectory()) return [name, ...fingerprint(path)];
      return [`${name} ${stats.mode.toString(8)} ${stats.isFile() ? readFileSync(path, 'utf8') : ''}`];
    });
}

beforeEach(() => {
  used = 0;
  base = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-race-'));
  inside = join(base, 'inside');
  outside = join(base, 'outside');
  fill(inside, INSIDE, 'inside-only');
  fill(outside, OUTSIDE, 'outside-only');
  writeFileSync(join(inside, 'source.txt'), INSIDE);
  writeFileSync(join(outside, 'source.txt'), OUTSIDE);
  scope = new Scope({ roots: [rootAt(inside)] });
});

afterEach(() => {
  adversary?.kill('SIGKILL');
  adversary = undefined;
  rmSync(base, { recursive: true, force: true });
});

async function release(mode: 'exchange' | 'flip', path: string, target: string, back = ''): Promise<void> {
  adversary = fork(SWAPPER, [mode, path, target, back]);
  await once(adversary, 'message');
}

async function recall(): Promise<void> {
  const running = adversary;
  if (running === undefined) return;
  const gone = once(running, 'exit');
  running.send('stop');
  await gone;
  adversary = undefined;
}

/** One attempt. Resolves when it succeeded, and throws anything but a refusal when it escaped. */
type Attempt = (count: number) => Promise<void>;

/** Tries until both outcomes were seen often enough: refusing everything fails, and so does a race that never ran. */
async function race(attempt: Attempt, leastRefusals = SHARE): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  let successes = 0;
  let refusals = 0;
  for (let count = 0; count < ATTEMPTS || successes < SHARE || refusals < leastRefusals; count++) {
    if (performance.now() > deadline) break;
    try {
      await attempt(count);
      successes++;
    } catch (error) {
      if (!(error instanceof RootwardError)) throw error;
      refusals++;
    }
  }
  expect(successes).toBeGreaterThanOrEqual(SHARE);
  expect(refusals).toBeGreaterThanOrEqual(leastRefusals);
}

function fromInside(text: string): void {
  if (text !== INSIDE) throw new Error(`Escaped: read ${JSON.stringify(text)}`);
}

function noneFromOutside(names: readonly string[]): void {
  if (names.some((name) => name.includes('outside-only')))
    throw new Error(`Escaped: saw ${names.join(', ')}`);
}

/** Counts the files used up; once all are, attempts name one that is gone, which is refused. */
let used = 0;

const OPERATIONS: Record<string, Attempt> = {
  open: async () => {
    const handle = await scope.open('swap/file.txt');
    try {
      fromInside(await handle.readFile('utf8'));
    } finally {
      await handle.close();
    }
  },
  readText: async () => fromInside((await scope.readText('swap/file.txt')).text),
  readBytes: async () => fromInside(Buffer.from((await scope.readBytes('swap/file.txt')).bytes).toString()),
  list: async () => noneFromOutside((await scope.list('swap', { stats: true })).map((entry) => entry.name)),
  stat: async () => {
    const { size } = await scope.stat('swap/file.txt');
    if (size !== INSIDE.length) throw new Error(`Escaped: saw a size of ${size}`);
  },
  walk: async () => {
    let seen = 0;
    for await (const entry of scope.walk('swap', { gitignore: true })) {
      seen++;
      noneFromOutside([entry.relative]);
    }
    // A folder that moved away while it was being walked is passed over, which is a refusal too.
    if (seen === 0) throw new RootwardError('not-found', 'Cannot walk: nothing was there');
  },
  'write new': async (count) => {
    await scope.write(`swap/new-${count}.txt`, INSIDE, { mode: 'new' });
  },
  'write over': async () => {
    await scope.write('swap/file.txt', INSIDE);
  },
  append: async () => {
    await scope.write('swap/log.txt', '.', { mode: 'append' });
  },
  mkdir: async (count) => {
    await scope.mkdir(`swap/new-${count}`);
  },
  'mkdir recursive': async (count) => {
    await scope.mkdir(`swap/new-${count}/deep/er`, { recursive: true });
  },
  'rename from': async (count) => {
    await scope.rename(`swap/victim-${used}`, `moved-${count}`);
    used++;
    fromInside((await scope.readText(`moved-${count}`)).text);
  },
  'rename to': async (count) => {
    await scope.rename(`mover-${used}`, `swap/target-${count}`);
    used++;
  },
  'copy from': async () => {
    await scope.copy('swap/file.txt', 'copied.txt', { overwrite: true });
    fromInside((await scope.readText('copied.txt')).text);
  },
  'copy to': async (count) => {
    await scope.copy('source.txt', `swap/copied-${count}`);
  },
  remove: async () => {
    await scope.remove(`swap/victim-${used}`);
    used++;
  },
};

describe.runIf(process.platform === 'linux')('Scope never escapes while another process', () => {
  // Making folders recursively would make the swapped one itself in the moment it is away, and so end the race.
  const EXCHANGED = Object.keys(OPERATIONS).filter((name) => name !== 'mkdir recursive');
  test.each(EXCHANGED)('swaps a folder for a link to outside: %s', async (name) => {
    const before = prepare(name);
    await release('exchange', join(inside, 'swap'), join(outside, 'swap'));
    await race(OPERATIONS[name]!);
    await recall();
    expect(fingerprint(outside)).toEqual(before);
  });

  test.each([
    'readText',
    'list',
    'walk',
    'write new',
    'mkdir recursive',
    'rename from',
    'rename to',
    'copy to',
    'remove',
  ])('turns a link between inside and outside: %s', async (name) => {
    const before = prepare(name);
    rmSync(join(inside, 'real'), { recursive: true, force: true });
    fill(join(inside, 'real'), INSIDE, 'inside-only');
    addVictims(name, join(inside, 'real'), INSIDE);
    rmSync(join(inside, 'swap'), { recursive: true });
    symlinkSync('real/swap', join(inside, 'swap'));
    await release('flip', join(inside, 'swap'), join(outside, 'swap'), 'real/swap');
    await race(OPERATIONS[name]!);
    await recall();
    expect(fingerprint(outside)).toEqual(before);
  });

  const FINAL = ['open', 'readText', 'readBytes', 'stat', 'write over', 'copy from'];
  test.each(FINAL)('swaps the final component for a link to outside: %s', async (name) => {
    const before = prepare(name);
    await release('exchange', join(inside, 'swap', 'file.txt'), join(outside, 'swap', 'file.txt'));
    // Overwriting puts a file where the link was and so ends the race; the others must have been refused as well.
    await race(OPERATIONS[name]!, name === 'write over' ? 0 : SHARE);
    adversary?.kill('SIGKILL');
    expect(fingerprint(outside)).toEqual(before);
  });

  test.each(Object.keys(OPERATIONS))('replaces the root itself by a link to outside: %s', async (name) => {
    const before = prepare(name);
    await release('exchange', inside, outside);
    await race(OPERATIONS[name]!);
    await recall();
    expect(fingerprint(outside)).toEqual(before);
  });
});
