import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { historyDirectory, undoChanges, type HistoryOptions } from '@rootward/core/history';
import type { ScopeRules } from '@rootward/core';
import { change, changesOf, setUp } from './fixtures/disk.js';

function start(options: Partial<HistoryOptions> = {}, rules: ScopeRules = {}) {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (message: string) => void warnings.push(message) };
  const place = { ...setUp({ log, ...options }, rules), warnings };
  mkdirSync(place.work);
  return place;
}

/** Every file and folder below, with its mode. */
function below(
  folder: string,
): readonly { readonly path: string; readonly mode: number; readonly isFolder: boolean }[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path, mode: lstatSync(path).mode & 0o777, isFolder: entry.isDirectory() };
  });
}

function storedText(directory: string): string {
  return below(directory)
    .filter(({ isFolder }) => !isFolder)
    .map(({ path }) => readFileSync(path, 'latin1'))
    .join('\n');
}

/** As if everything had been kept long ago. */
function age(directory: string): void {
  for (const { path } of below(directory)) utimesSync(path, new Date(1000), new Date(1000));
}

describe('the store', () => {
  test('is private: folders 0700, files 0600, also where they were made wider', async () => {
    const place = start();
    mkdirSync(place.directory, { recursive: true, mode: 0o755 });
    chmodSync(place.directory, 0o755);
    writeFileSync(join(place.work, 'a'), 'secret');
    await change(place, (scope) => scope.write('a', 'b'));
    expect(lstatSync(place.directory).mode & 0o777).toBe(0o700);
    for (const { path, mode, isFolder } of below(place.directory)) {
      expect({ path, mode }).toEqual({ path, mode: isFolder ? 0o700 : 0o600 });
    }
  });

  test('has nothing of a denied file, or of one outside the roots', async () => {
    const place = start({}, { deny: ['.env'] });
    writeFileSync(join(place.work, '.env'), 'TOKEN-OF-MINE');
    mkdirSync(join(place.work, 'folder'));
    writeFileSync(join(place.work, 'folder/.env'), 'TOKEN-OF-MINE');
    writeFileSync(join(place.top, 'outside'), 'TOKEN-OF-MINE');
    symlinkSync(join(place.top, 'outside'), join(place.work, 'link'));
    for (const make of [
      () => change(place, (scope) => scope.write('.env', 'x')),
      () => change(place, (scope) => scope.remove('folder', { recursive: true })),
      () => change(place, (scope) => scope.rename('folder', 'other')),
      () => change(place, (scope) => scope.write('link', 'x')),
    ]) {
      await expect(make()).rejects.toThrow('Cannot');
    }
    await change(place, (scope) => scope.remove('link'));
    expect(storedText(place.directory)).not.toContain('TOKEN-OF-MINE');
  });

  test.each(['', 'contents', 'projects', 'trees'])('does not follow a link planted at %j', async (name) => {
    const place = start();
    const elsewhere = join(place.top, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(name === '' ? dirname(place.directory) : place.directory, { recursive: true });
    symlinkSync(elsewhere, join(place.directory, name));
    writeFileSync(join(place.work, 'a'), 'a');
    await change(place, (scope) => scope.write('a', 'b'));
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(place.warnings).toHaveLength(1);
    expect(readFileSync(join(place.work, 'a'), 'utf8')).toBe('b');
  });

  test('does not follow a link planted in the place of a journal', async () => {
    const place = start();
    await change(place, (scope) => scope.write('a', 'a'));
    const project = join(place.directory, 'projects', readdirSync(join(place.directory, 'projects'))[0]!);
    const victim = join(place.top, 'victim');
    writeFileSync(victim, '');
    place.history.dispose();
    rmSync(join(project, 'journal'));
    symlinkSync(victim, join(project, 'journal'));
    await change(place, (scope) => scope.write('a', 'b'));
    expect(readFileSync(victim, 'utf8')).toBe('');
  });

  test('goes on after a line that was cut off', async () => {
    const place = start();
    const first = await change(place, (scope) => scope.write('a', '1'));
    const project = join(place.directory, 'projects', readdirSync(join(place.directory, 'projects'))[0]!);
    appendFileSync(join(project, 'journal'), '00000000 {"type":"change","id":"half');
    const second = await change(place, (scope) => scope.write('a', '2'));
    expect((await changesOf(place)).map(({ id }) => id)).toEqual([second, first]);
  });

  test('begins anew where somebody has removed it', async () => {
    const place = start();
    await change(place, (scope) => scope.write('a', '1'));
    rmSync(place.directory, { recursive: true });
    const id = await change(place, (scope) => scope.write('a', '2'));
    expect((await changesOf(place)).map((each) => each.id)).toEqual([id]);
    expect(place.warnings).toEqual([]);
  });

  test('notes a file that is too large, and does not keep it', async () => {
    const place = start({ limits: { maxFileBytes: 10 } });
    writeFileSync(join(place.work, 'large'), 'more than ten bytes');
    const id = await change(place, (scope) => scope.write('large', 'x'));
    const changes = await changesOf(place);
    expect(changes[0]?.steps[0]?.step.before).toEqual({
      kind: 'file',
      size: 19,
      mode: 0o644,
      lost: 'too-large',
    });
    expect(storedText(place.directory)).not.toContain('more than ten');
    const about = { tool: 'undo' };
    await expect(undoChanges(place.history, place.scope, changes, { about })).rejects.toMatchObject({
      code: 'not-kept',
    });
    expect(id).toBeDefined();
  });

  test('keeps what is small in the journal, and all else in files of their own', async () => {
    const place = start();
    const contents = {
      empty: Buffer.alloc(0),
      text: Buffer.from('\uFEFFblüe\r\n\0"\\\u2028'),
      binary: Buffer.from([0xff, 0xfe, 0x00, 0x80]),
      'cut off': Buffer.from('ü').subarray(0, 1),
      border: Buffer.alloc(4096, 'x'),
      beyond: Buffer.alloc(4097, 'x'),
    };
    const read = () =>
      Object.fromEntries(Object.keys(contents).map((name) => [name, readFileSync(join(place.work, name))]));
    for (const [name, bytes] of Object.entries(contents)) {
      writeFileSync(join(place.work, name), bytes);
      await change(place, (scope) => scope.write(name, 'new'));
    }
    const hash = createHash('sha256').update(contents.beyond).digest('hex');
    expect(readdirSync(join(place.directory, 'contents'))).toEqual([hash]);
    await undoChanges(place.history, place.scope, await changesOf(place), { about: { tool: 'undo' } });
    expect(read()).toEqual(contents);
    const [undo] = await changesOf(place);
    await undoChanges(place.history, place.scope, [undo!], { about: { tool: 'undo' } });
    expect(Object.values(read()).map(String)).toEqual(Object.keys(contents).map(() => 'new'));
  });

  test('does not restore a content that is not what its hash says', async () => {
    const place = start();
    writeFileSync(join(place.work, 'a'), 'as it was');
    await change(place, (scope) => scope.write('a', 'new'));
    const project = join(place.directory, 'projects', readdirSync(join(place.directory, 'projects'))[0]!);
    const lines = readFileSync(join(project, 'journal'), 'utf8').split('\n');
    const forged = lines.map((line) => {
      const json = line.slice(9).replace('as it was', 'something');
      return line === '' ? '' : `${crc32(json).toString(16).padStart(8, '0')} ${json}`;
    });
    writeFileSync(join(project, 'journal'), forged.join('\n'));
    const changes = await changesOf(place);
    expect(changes[0]?.steps[0]?.step.before).toMatchObject({ text: 'something' });
    const undo = undoChanges(place.history, place.scope, changes, { about: { tool: 'undo' } });
    await expect(undo).rejects.toMatchObject({ code: 'not-kept' });
    expect(readFileSync(join(place.work, 'a'), 'utf8')).toBe('new');
  });

  test('has what a change put in place for as long as the next one keeps it', async () => {
    const place = start();
    for (const text of ['first', 'second', 'third']) {
      await change(place, async (scope) => {
        await scope.write('b', 'beside');
        await scope.write('a', text);
      });
    }
    const texts = (await changesOf(place)).map(async ({ steps }) => {
      const { step } = steps[1]!;
      if ('from' in step) throw new Error('nothing was moved');
      return String(await place.history.content(step.after, place.roots));
    });
    // The last one is in the file itself.
    expect(await Promise.all(texts)).toEqual(['undefined', 'second', 'first']);
  });

  test('keeps a large file, and restores it', async () => {
    const place = start();
    const text = 'line of text\n'.repeat(100_000);
    writeFileSync(join(place.work, 'large'), text);
    await change(place, (scope) => scope.remove('large'));
    await undoChanges(place.history, place.scope, await changesOf(place), { about: { tool: 'undo' } });
    expect(readFileSync(join(place.work, 'large'), 'utf8')).toBe(text);
  });
});

describe('where nothing can be kept', () => {
  test('best-effort says so once and goes on', async () => {
    const place = start();
    writeFileSync(join(place.top, 'state'), 'a file is where the folder should be');
    for (const text of ['1', '2', '3']) {
      expect(await change(place, (scope) => scope.write('a', text))).toBeUndefined();
    }
    expect(readFileSync(join(place.work, 'a'), 'utf8')).toBe('3');
    expect(place.warnings).toHaveLength(1);
  });

  test.each(['write', 'remove', 'rename', 'mkdir', 'tree'])('required refuses to %s', async (what) => {
    const place = start({ mode: 'required' });
    writeFileSync(join(place.top, 'state'), 'a file is where the folder should be');
    writeFileSync(join(place.work, 'a'), 'a');
    mkdirSync(join(place.work, 'folder'));
    const made = change(place, async (scope) => {
      if (what === 'write') await scope.write('a', 'b');
      else if (what === 'remove') await scope.remove('a');
      else if (what === 'rename') await scope.rename('a', 'b');
      else if (what === 'mkdir') await scope.mkdir('new/er', { recursive: true });
      else await scope.remove('folder', { recursive: true });
    });
    await expect(made).rejects.toMatchObject({ code: 'not-kept' });
    expect(readdirSync(place.work).toSorted()).toEqual(['a', 'folder']);
    expect(readFileSync(join(place.work, 'a'), 'utf8')).toBe('a');
  });

  test('required refuses to change a file that is too large to be kept', async () => {
    const place = start({ mode: 'required', limits: { maxFileBytes: 3 } });
    writeFileSync(join(place.work, 'a'), 'large');
    await expect(change(place, (scope) => scope.write('a', 'b'))).rejects.toMatchObject({ code: 'not-kept' });
    expect(readFileSync(join(place.work, 'a'), 'utf8')).toBe('large');
  });
});

describe('History.prune()', () => {
  const DAY = 24 * 60 * 60 * 1000;

  test('forgets what is too old, and what only that needed', async () => {
    let now = 1_000 * DAY;
    const place = start({ now: () => now });
    writeFileSync(join(place.work, 'a'), 'first content');
    await change(place, (scope) => scope.write('a', 'second content'));
    now += 20 * DAY;
    const recent = await change(place, (scope) => scope.write('a', 'third content'));
    await place.history.settled();
    now += 15 * DAY;
    age(place.directory);
    expect(await place.history.prune()).toMatchObject({ changes: 1 });
    expect((await changesOf(place)).map(({ id }) => id)).toEqual([recent]);
    expect(storedText(place.directory)).not.toContain('first content');
    expect(storedText(place.directory)).toContain('second content');
    await undoChanges(place.history, place.scope, await changesOf(place), { about: { tool: 'undo' } });
    expect(readFileSync(join(place.work, 'a'), 'utf8')).toBe('second content');
  });

  test('forgets the oldest until the rest fits, trees included', async () => {
    let now = 1_000 * DAY;
    const place = start({ now: () => now, limits: { maxBytes: 60_000 } });
    for (const name of ['one', 'two', 'three']) {
      mkdirSync(join(place.work, name));
      writeFileSync(join(place.work, name, 'file'), Buffer.alloc(25_000, name));
      now += 1000;
      await change(place, (scope) => scope.remove(name, { recursive: true }));
    }
    await place.history.settled();
    now += DAY;
    age(place.directory);
    expect(await place.history.prune()).toMatchObject({ changes: 1 });
    expect(readdirSync(join(place.directory, 'trees'))).toHaveLength(2);
    await undoChanges(place.history, place.scope, await changesOf(place), { about: { tool: 'undo' } });
    expect(readdirSync(place.work).toSorted()).toEqual(['three', 'two']);
  });

  test('counts what stands in the journal, and forgets it with its change', async () => {
    let now = 1_000 * DAY;
    const place = start({ now: () => now, limits: { maxBytes: 10_000 } });
    writeFileSync(join(place.work, 'a'), '1'.repeat(4000));
    for (const digit of ['2', '3', '4']) {
      now += 1000;
      await change(place, (scope) => scope.write('a', digit.repeat(4000)));
    }
    await place.history.settled();
    now += DAY;
    age(place.directory);
    expect(await place.history.prune()).toEqual({ changes: 1, bytes: 4000, kept: 2 * (4000 + 512) });
    expect(storedText(place.directory)).not.toContain('1111');
    await undoChanges(place.history, place.scope, await changesOf(place), { about: { tool: 'undo' } });
    expect(readFileSync(join(place.work, 'a'), 'utf8')).toBe('2'.repeat(4000));
  });

  test('makes contents smaller where it pays, which can still be restored', async () => {
    const place = start();
    const text = 'the same line again\n'.repeat(3000);
    writeFileSync(join(place.work, 'a'), text);
    await change(place, (scope) => scope.write('a', 'b'));
    await place.history.settled();
    age(place.directory);
    await place.history.prune();
    expect(readdirSync(join(place.directory, 'contents'))).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}\.z$/),
    ]);
    await undoChanges(place.history, place.scope, await changesOf(place), { about: { tool: 'undo' } });
    expect(readFileSync(join(place.work, 'a'), 'utf8')).toBe(text);
  });

  test('gets over a content that a killed process left half-written, compressed before or not', async () => {
    const place = start();
    const text = 'the same line again\n'.repeat(3000);
    const contents = join(place.directory, 'contents');
    const content = join(contents, createHash('sha256').update(text).digest('hex'));
    for (const halfWritten of ['first', 'compressed before']) {
      writeFileSync(join(place.work, 'a'), text);
      mkdirSync(contents, { recursive: true });
      writeFileSync(content, text.slice(0, 30_000));
      const id = await change(place, (scope) => scope.write('a', halfWritten));
      await place.history.settled();
      age(place.directory);
      await place.history.prune();
      expect(readdirSync(contents)).toContain(`${basename(content)}.z`);
      // Once more, where the whole of it is there.
      writeFileSync(content, text.slice(0, 30_000));
      age(place.directory);
      await place.history.prune();
      const changes = (await changesOf(place)).filter((each) => each.id === id);
      await undoChanges(place.history, place.scope, changes, { about: { tool: 'undo' } });
      expect(readFileSync(join(place.work, 'a'), 'utf8')).toBe(text);
    }
  });

  test('leaves alone what may be needed in a moment', async () => {
    const place = start();
    await change(place, (scope) => scope.write('a', 'b'));
    await place.history.settled();
    const content = join(place.directory, 'contents', 'f'.repeat(64));
    writeFileSync(content, 'kept just now, and not noted yet');
    await place.history.prune();
    expect(existsSync(content)).toBe(true);
  });
});

test('historyDirectory() follows XDG_STATE_HOME, and ignores a relative one', () => {
  const [home, xdg] = ['/home/me', '/state'];
  expect(historyDirectory({ XDG_STATE_HOME: xdg }, home, 'linux')).toBe('/state/rootward/history');
  expect(historyDirectory({ XDG_STATE_HOME: 'state' }, home, 'linux')).toBe(
    '/home/me/.local/state/rootward/history',
  );
});
