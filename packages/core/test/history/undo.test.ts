import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Scope } from '@rootward/core';
import { undoChanges, type UndoOptions } from '@rootward/core/history';
import { change, changesOf, photograph, rootAt, setUp } from './fixtures/disk.js';

type Place = ReturnType<typeof setUp>;

function start(files: Readonly<Record<string, string>> = {}): Place {
  const place = setUp();
  mkdirSync(place.work);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(place.work, name, '..'), { recursive: true });
    writeFileSync(join(place.work, name), text);
  }
  return place;
}

async function undo(place: Place, ids: readonly (string | undefined)[], more: Partial<UndoOptions> = {}) {
  const changes = (await changesOf(place)).filter(({ id }) => ids.includes(id));
  return undoChanges(place.history, place.scope, changes, { about: { tool: 'undo' }, ...more });
}

describe('undoChanges()', () => {
  test('takes back one change of several files, with modes', async () => {
    const place = start({ 'a.txt': 'a', 'b.sh': 'b' });
    chmodSync(join(place.work, 'b.sh'), 0o755);
    const before = photograph(place.work);
    const id = await change(place, async (scope) => {
      await scope.write('a.txt', 'A');
      await scope.remove('b.sh');
      await scope.mkdir('c/d', { recursive: true });
    });
    expect((await undo(place, [id])).restored).toHaveLength(4);
    expect(photograph(place.work)).toEqual(before);
  });

  test('says how many files are restored so far', async () => {
    const place = start({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    const id = await change(place, async (scope) => {
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await scope.write(name, 'changed');
    });
    const said: number[] = [];
    await undo(place, [id], { onProgress: (files) => said.push(files) });
    expect(said).toEqual([1, 2, 3]);
  });

  test('refuses a file that was changed since, names it, and touches nothing', async () => {
    const place = start({ 'a.txt': 'a', 'b.txt': 'b' });
    const id = await change(place, async (scope) => {
      await scope.write('a.txt', 'A');
      await scope.write('b.txt', 'B');
    });
    writeFileSync(join(place.work, 'a.txt'), 'mine');
    const before = photograph(place.work);
    await expect(undo(place, [id])).rejects.toMatchObject({
      code: 'changed-since',
      path: join(place.work, 'a.txt'),
      message: expect.stringContaining('a.txt'),
    });
    expect(photograph(place.work)).toEqual(before);
    await undo(place, [id], { force: true });
    expect(photograph(place.work)).toMatchObject({ 'a.txt': 'file 644 a', 'b.txt': 'file 644 b' });
  });

  test('keeps what force replaces', async () => {
    const place = start({ 'a.txt': 'a' });
    const id = await change(place, (scope) => scope.write('a.txt', 'A'));
    writeFileSync(join(place.work, 'a.txt'), 'mine');
    const forced = await undo(place, [id], { force: true });
    await undo(place, [forced.id]);
    expect(readFileSync(join(place.work, 'a.txt'), 'utf8')).toBe('mine');
  });

  test.each([
    ['a changed mode', (work: string) => chmodSync(join(work, 'a.txt'), 0o600)],
    ['a link in its place', (work: string) => symlinkSync('b', join(work, 'link.txt'))],
    ['a folder that got a file', (work: string) => writeFileSync(join(work, 'new/x'), '')],
    ['a moved file that was edited', (work: string) => writeFileSync(join(work, 'moved.txt'), 'edited')],
  ])('refuses %s', async (_, disturb) => {
    const place = start({ 'a.txt': 'a', 'm.txt': 'm', 'link.txt': 'l' });
    const id = await change(place, async (scope) => {
      await scope.write('a.txt', 'A');
      await scope.remove('link.txt');
      await scope.mkdir('new');
      await scope.rename('m.txt', 'moved.txt');
    });
    disturb(place.work);
    const before = photograph(place.work);
    await expect(undo(place, [id])).rejects.toMatchObject({ code: 'changed-since' });
    expect(photograph(place.work)).toEqual(before);
  });

  test('restores only what is at or below a path', async () => {
    const place = start({ 'x/a.txt': 'a', 'b.txt': 'b' });
    const id = await change(place, async (scope) => {
      await scope.write('x/a.txt', 'A');
      await scope.write('b.txt', 'B');
    });
    await undo(place, [id], { path: join(place.work, 'x') });
    expect(photograph(place.work)).toMatchObject({ 'x/a.txt': 'file 644 a', 'b.txt': 'file 644 B' });
  });

  test('only says what it would do with dryRun', async () => {
    const place = start({ 'a.txt': 'a' });
    const id = await change(place, (scope) => scope.write('a.txt', 'A'));
    expect(await undo(place, [id], { dryRun: true })).toMatchObject({
      id: undefined,
      restored: [join(place.work, 'a.txt')],
    });
    expect(readFileSync(join(place.work, 'a.txt'), 'utf8')).toBe('A');
  });

  test('does not reach a folder that is no longer a root, or is read-only', async () => {
    const place = start({ 'one/a.txt': 'a', 'two/b.txt': 'b' });
    const [one, two] = [join(place.work, 'one'), join(place.work, 'two')];
    const both = { ...place, scope: new Scope({ roots: [rootAt(one), rootAt(two)] }) };
    const id = await change(both, async (scope) => {
      await scope.write(join(one, 'a.txt'), 'A');
      await scope.write(join(two, 'b.txt'), 'B');
    });
    const before = photograph(place.work);
    const revoked = new Scope({ roots: [rootAt(one)] });
    const readOnly = new Scope({ roots: [rootAt(one), rootAt(two, { access: 'read-only' })] });
    const denied = new Scope({ roots: [rootAt(one), rootAt(two)], rules: { deny: ['b.txt'] } });
    for (const [scope, code] of [
      [revoked, 'outside-roots'],
      [readOnly, 'read-only'],
      [denied, 'denied'],
    ] as const) {
      await expect(undo({ ...place, scope }, [id])).rejects.toMatchObject({ code });
      expect(photograph(place.work)).toEqual(before);
    }
  });

  test('takes back what it did when it fails half way', async () => {
    const place = start({ 'a.txt': 'a', 'folder/b.txt': 'b' });
    const id = await change(place, async (scope) => {
      await scope.remove('folder', { recursive: true });
      await scope.write('a.txt', 'A');
    });
    const before = photograph(place.work);
    // The fence denies what is in the folder, which only shows when it is put back.
    const scope = new Scope({ roots: place.roots, rules: { deny: ['b.txt'] } });
    await expect(undo({ ...place, scope }, [id])).rejects.toMatchObject({ code: 'denied' });
    expect(photograph(place.work)).toEqual(before);
  });

  test('restores a whole folder, empty folders and links included, and takes it away again', async () => {
    const place = start({ 'x/y/a.bin': '\0\u0001', 'x/z/b': 'b' });
    mkdirSync(join(place.work, 'x/empty'));
    chmodSync(join(place.work, 'x/empty'), 0o750);
    symlinkSync('/nowhere', join(place.work, 'x/out'));
    const before = photograph(place.work);
    const inode = statSync(join(place.work, 'x/y/a.bin')).ino;
    const id = await change(place, (scope) => scope.remove('x', { recursive: true }));
    expect(existsSync(join(place.work, 'x'))).toBe(false);
    const undone = await undo(place, [id]);
    expect(photograph(place.work)).toEqual(before);
    // Moved whole, not copied.
    expect(statSync(join(place.work, 'x/y/a.bin')).ino).toBe(inode);
    await undo(place, [undone.id]);
    expect(photograph(place.work)).toEqual({});
    await undo(place, [id]);
    expect(photograph(place.work)).toEqual(before);
  });

  test('works for a single file that is a root, in place', async () => {
    const place = start({ 'a.txt': 'a' });
    const path = join(place.work, 'a.txt');
    const roots = [rootAt(path, { kind: 'file' })];
    const only = { ...place, roots, scope: new Scope({ roots }) };
    const id = await change(only, (scope) => scope.write(path, 'A'));
    await undo(only, [id]);
    expect(readFileSync(path, 'utf8')).toBe('a');
  });

  test('takes back a change that was cut off before the folder was taken away that it removes', async () => {
    const place = start({ 'x/a.txt': 'a' });
    const before = photograph(place.work);
    const recorder = place.history.change({ tool: 'test' }, place.roots);
    const scope = place.scope.recordedBy(recorder);
    await scope.write('x/a.txt', 'A');
    await scope.remove('x', { recursive: true });
    // As when the process is killed between the note and the move.
    const trees = join(place.directory, 'trees');
    renameSync(join(trees, readdirSync(trees)[0]!), join(place.work, 'x'));
    await undo(place, [recorder.id]);
    expect(photograph(place.work)).toEqual(before);
  });

  test('takes back what was in a part of a removed folder that was moved before', async () => {
    const place = start();
    const ids = [
      await change(place, (scope) => scope.mkdir('a/b/c', { recursive: true })),
      await change(place, (scope) => scope.rename('a/b', 'a/d')),
      await change(place, (scope) => scope.remove('a', { recursive: true })),
    ];
    await undo(place, ids);
    expect(photograph(place.work)).toEqual({});
  });

  test('takes back the part of a change that was cut off', async () => {
    const place = start({ 'a.txt': 'a', 'b.txt': 'b' });
    const recorder = place.history.change({ tool: 'test' }, place.roots);
    const scope = place.scope.recordedBy(recorder);
    await scope.write('a.txt', 'A');
    await scope.write('b.txt', 'B');
    // The second was noted and did not happen, as when the process is killed in between.
    writeFileSync(join(place.work, 'b.txt'), 'b');
    const [cut] = await changesOf(place);
    expect(cut).toMatchObject({ id: recorder.id, complete: false });
    await undo(place, [recorder.id]);
    expect(photograph(place.work)).toMatchObject({ 'a.txt': 'file 644 a', 'b.txt': 'file 644 b' });
  });
});

test.skipIf(process.platform === 'win32')(
  'a pipe comes back from where it was moved, and one that was removed is named as not kept',
  async () => {
    const place = start({ 'd/a': 'a' });
    execFileSync('mkfifo', [join(place.work, 'd', 'pipe')]);
    const moved = await change(place, (scope) => scope.rename('d/pipe', 'pipe'));
    await undo(place, [moved]);
    expect(readdirSync(join(place.work, 'd'))).toEqual(['a', 'pipe']);
    const all = await change(place, (scope) => scope.remove('d', { recursive: true }));
    await undo(place, [all]);
    expect(readdirSync(join(place.work, 'd'))).toEqual(['a', 'pipe']);
    const removed = await change(place, (scope) => scope.remove('d/pipe'));
    await expect(undo(place, [removed])).rejects.toMatchObject({ code: 'not-kept' });
  },
);
