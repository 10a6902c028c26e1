import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, rootAt, scopeOf, useTree } from '../fixture.js';
import { asOrdinaryUser } from '../ordinary-user.js';

const tree = useTree();
const isRoot = process.getuid?.() === 0;
const hasModes = process.platform !== 'win32';
const MANY_BYTES = Buffer.alloc(32 * 1024 * 1024, 'n');

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}

describe.each(platforms)('Scope.write() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });
  const fileRoot = (name: string): Scope =>
    new Scope({ roots: [rootAt(tree().in(name), { kind: 'file' })], platform });

  test('creates a file and says so', async () => {
    expect(await scope().write('a.txt', 'grüße')).toEqual({ created: true, bytesWritten: 7 });
    expect(tree().text('a.txt')).toBe('grüße');
    expect(tree().names()).toEqual(['a.txt']);
  });

  test('says that the folder is missing, and what to do', async () => {
    await expect(scope().write('none/a.txt', 'x')).rejects.toMatchObject({
      code: 'not-found',
      message: 'Cannot write "none/a.txt": its folder does not exist',
      instruction: expect.stringContaining('Create the folder') as unknown,
    });
    // Outside the roots nobody learns what is there.
    expect(await codeOf(scope().write('../none/a.txt', 'x'))).toBe('outside-roots');
  });

  test.each([
    [{ key: 'value' }, 'object'],
    [5, 'number'],
    [undefined, 'undefined'],
    [null, 'null'],
    [new Uint16Array([1]), 'object'],
    [new ArrayBuffer(3), 'object'],
  ])('refuses %j as data, and leaves the file as it is', async (data, received) => {
    tree().make({ 'a.txt': 'old' });
    await expect(scope().write('a.txt', data as never)).rejects.toMatchObject({
      code: 'invalid-option',
      message: `Cannot write "a.txt": expected text or a Uint8Array, received ${received}`,
    });
    expect(tree().text('a.txt')).toBe('old');
  });

  test('refuses an unknown mode instead of overwriting', async () => {
    tree().make({ 'a.txt': 'old' });
    await expect(scope().write('a.txt', 'new', { mode: 'create' as never })).rejects.toMatchObject({
      code: 'invalid-option',
      message: 'Cannot write "a.txt": expected mode to be new, overwrite or append, received create',
    });
    expect(tree().text('a.txt')).toBe('old');
  });

  test('writes bytes as they are', async () => {
    const bytes = Uint8Array.from([0, 255, 128, 10, 13]);
    await scope().write('a.bin', bytes);
    expect([...readFileSync(tree().in('a.bin'))]).toEqual([...bytes]);
  });

  test('replaces a file as a whole, also by nothing', async () => {
    tree().make({ 'a.txt': 'a long old text' });
    expect(await scope().write('a.txt', 'new')).toEqual({ created: false, bytesWritten: 3 });
    expect(tree().text('a.txt')).toBe('new');
    await scope().write('a.txt', '');
    expect(tree().text('a.txt')).toBe('');
    expect(tree().names()).toEqual(['a.txt']);
  });

  test('replaces in one step: who has the old file open keeps reading it', async () => {
    tree().make({ 'a.txt': 'old' });
    linkSync(tree().in('a.txt'), tree().in('other-name.txt'));
    await scope().write('a.txt', 'new');
    expect(tree().text('other-name.txt')).toBe('old');
  });

  test('in mode new creates a file, and refuses one that exists', async () => {
    expect((await scope().write('a.txt', 'first', { mode: 'new' })).created).toBe(true);
    expect(await codeOf(scope().write('a.txt', 'second', { mode: 'new' }))).toBe('already-exists');
    expect(tree().text('a.txt')).toBe('first');
    expect(tree().names()).toEqual(['a.txt']);
  });

  test('in mode append creates a file, then adds to its end', async () => {
    expect((await scope().write('a.txt', 'one\n', { mode: 'append' })).created).toBe(true);
    expect((await scope().write('a.txt', 'two\n', { mode: 'append' })).created).toBe(false);
    expect(tree().text('a.txt')).toBe('one\ntwo\n');
  });

  test('in mode append keeps every addition of calls made at once', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}\n`);
    const appending = scope();
    await Promise.all(lines.map((line) => appending.write('a.txt', line, { mode: 'append' })));
    expect(tree().text('a.txt').split('\n').filter(Boolean).sort()).toEqual(
      lines.map((line) => line.trim()).sort(),
    );
  });

  test.runIf(hasModes)('keeps the mode of the file, setuid and setgid included', async () => {
    tree().make({ 'a.sh': 'old' });
    for (const mode of [0o640, 0o755, 0o4755, 0o6711]) {
      chmodSync(tree().in('a.sh'), mode);
      await scope().write('a.sh', `mode ${mode}`);
      expect(modeOf(tree().in('a.sh'))).toBe(mode);
    }
  });

  test.runIf(hasModes)('leaves the other name of a hard link alone, unless it appends', async () => {
    tree().make({ 'a.txt': 'old' });
    linkSync(tree().in('a.txt'), tree().out('a.txt'));
    await scope().write('a.txt', ' and more', { mode: 'append' });
    expect(readFileSync(tree().out('a.txt'), 'utf8')).toBe('old and more');
    await scope().write('a.txt', 'new');
    expect(readFileSync(tree().out('a.txt'), 'utf8')).toBe('old and more');
  });

  test.runIf(isRoot)('keeps the owner of the file, with setuid', async () => {
    tree().make({ 'a.txt': 'old' });
    chownSync(tree().in('a.txt'), 1234, 4321);
    chmodSync(tree().in('a.txt'), 0o4750);
    await scope().write('a.txt', 'new');
    expect(statSync(tree().in('a.txt'))).toMatchObject({ uid: 1234, gid: 4321 });
    expect(modeOf(tree().in('a.txt'))).toBe(0o4750);
  });

  test.runIf(isRoot)('drops setuid and setgid where the owner cannot be kept', async () => {
    tree().make({ 'a.sh': 'old' });
    chmodSync(tree().in('a.sh'), 0o6777);
    chmodSync(tree().inside, 0o777);
    await asOrdinaryUser(tree(), () => scope().write('a.sh', 'new'));
    expect(statSync(tree().in('a.sh')).uid).not.toBe(0);
    expect(modeOf(tree().in('a.sh'))).toBe(0o777);
  });

  test.runIf(isRoot)('gives another group no more than everybody has', async () => {
    tree().make({ 'a.sh': 'old' });
    chownSync(tree().in('a.sh'), 0, 4321);
    chmodSync(tree().in('a.sh'), 0o672);
    chmodSync(tree().inside, 0o777);
    await asOrdinaryUser(tree(), () => scope().write('a.sh', 'new'));
    expect(statSync(tree().in('a.sh')).gid).not.toBe(4321);
    expect(modeOf(tree().in('a.sh'))).toBe(0o622);
  });

  test.runIf(hasModes)('gives a new file the mode any program would give it', async () => {
    const mask = process.umask();
    await scope().write('a.txt', 'new');
    expect(modeOf(tree().in('a.txt'))).toBe(0o666 & ~mask);
  });

  test.skipIf(isRoot || !hasModes)(
    'refuses a read-only file, although its folder would allow it',
    async () => {
      tree().make({ 'a.txt': 'old' });
      chmodSync(tree().in('a.txt'), 0o444);
      for (const mode of ['overwrite', 'append'] as const) {
        expect(await codeOf(scope().write('a.txt', 'new', { mode }))).toBe('not-permitted');
      }
      expect(tree().text('a.txt')).toBe('old');
      expect(tree().names()).toEqual(['a.txt']);
    },
  );

  test('writes a single-file root in place, shorter and longer', async () => {
    tree().make({ 'a.txt': 'a long old text' });
    const { ino } = statSync(tree().in('a.txt'));
    for (const text of ['new', 'a much longer new text than before', '']) {
      await fileRoot('a.txt').write(tree().in('a.txt'), text);
      expect(tree().text('a.txt')).toBe(text);
    }
    await fileRoot('a.txt').write(tree().in('a.txt'), 'more', { mode: 'append' });
    expect(tree().text('a.txt')).toBe('more');
    expect(statSync(tree().in('a.txt')).ino).toBe(ino);
    expect(tree().names()).toEqual(['a.txt']);
  });

  test('does not create the neighbour of a single-file root, nor the root itself when it is gone', async () => {
    tree().make({ 'a.txt': 'mine' });
    expect(await codeOf(fileRoot('a.txt').write(tree().in('b.txt'), 'x'))).toBe('outside-roots');
    unlinkSync(tree().in('a.txt'));
    expect(await codeOf(fileRoot('a.txt').write(tree().in('a.txt'), 'x'))).toBe('not-permitted');
    expect(tree().names()).toEqual([]);
  });

  test('writes a single-file root in one step when its folder is a root too', async () => {
    tree().make({ 'a.txt': 'old' });
    const both = new Scope({
      roots: [rootAt(tree().in('a.txt'), { kind: 'file' }), rootAt(tree().inside)],
      platform,
    });
    linkSync(tree().in('a.txt'), tree().in('other-name.txt'));
    await both.write(tree().in('a.txt'), 'new');
    expect(tree().text('other-name.txt')).toBe('old');
  });

  test('follows a link that stays inside and leaves the link in place', async () => {
    tree().make({ sub: { 'a.txt': 'old' } });
    tree().link('link', 'sub/a.txt');
    for (const [mode, text] of [
      ['overwrite', 'new'],
      ['append', 'new+'],
    ] as const) {
      await scope().write('link', mode === 'append' ? '+' : 'new', { mode });
      expect(tree().text('sub/a.txt')).toBe(text);
    }
    expect(readlinkSync(tree().in('link'))).toBe('sub/a.txt');
    expect(tree().names(tree().in('sub'))).toEqual(['a.txt']);
  });

  test('refuses a link that leads nowhere, inside or outside, in every mode', async () => {
    tree().link('in', 'missing.txt');
    tree().link('out', tree().out('missing.txt'));
    for (const mode of ['new', 'overwrite', 'append'] as const) {
      for (const link of ['in', 'out']) {
        expect(await codeOf(scope().write(link, 'x', { mode }))).toBe('outside-roots');
      }
    }
    expect(tree().names()).toEqual(['in', 'out']);
    expect(tree().names(tree().outside)).toEqual([]);
  });

  test('refuses a link that leads out and leaves its target alone', async () => {
    tree().make({ 'b.txt': 'outside' }, tree().outside);
    tree().link('file', tree().out('b.txt'));
    tree().link('folder', tree().outside);
    for (const mode of ['new', 'overwrite', 'append'] as const) {
      expect(await codeOf(scope().write('file', 'x', { mode }))).toBe('outside-roots');
      expect(await codeOf(scope().write('folder/b.txt', 'x', { mode }))).toBe('outside-roots');
      expect(await codeOf(scope().write('folder/new.txt', 'x', { mode }))).toBe('outside-roots');
    }
    expect(tree().names(tree().outside)).toEqual(['b.txt']);
    expect(readFileSync(tree().out('b.txt'), 'utf8')).toBe('outside');
  });

  test('refuses a folder, a path below a file, and a missing folder, and leaves nothing behind', async () => {
    tree().make({ sub: {}, 'a.txt': 'text' });
    for (const mode of ['new', 'overwrite', 'append'] as const) {
      expect(await codeOf(scope().write('sub', 'x', { mode }))).toBe('not-a-file');
      expect(await codeOf(scope().write('sub/', 'x', { mode }))).toBe('not-a-file');
      expect(await codeOf(scope().write('new/', 'x', { mode }))).toBe('not-a-file');
      expect(await codeOf(scope().write('a.txt/b', 'x', { mode }))).toBe('not-a-directory');
      expect(await codeOf(scope().write('none/b', 'x', { mode }))).toBe('not-found');
    }
    expect(tree().names()).toEqual(['a.txt', 'sub']);
    expect(tree().names(tree().in('sub'))).toEqual([]);
  });

  test('refuses text that is not valid Unicode, before anything is touched', async () => {
    tree().make({ 'a.txt': 'old' });
    expect(await codeOf(scope().write('a.txt', 'half \uD83D pair'))).toBe('not-text');
    await expect(scope().write('b.txt', 'half \uD83D pair')).rejects.toMatchObject({
      code: 'not-text',
      instruction: expect.stringMatching(/^Write/),
    });
    expect(tree().text('a.txt')).toBe('old');
    expect(tree().names()).toEqual(['a.txt']);
  });

  test.each(['new', 'overwrite'] as const)(
    'aborted in the middle in mode %s leaves nothing behind',
    async (mode) => {
      const name = mode === 'new' ? 'new.txt' : 'a.txt';
      tree().make({ 'a.txt': 'old' });
      const controller = new AbortController();
      const reason = new Error('enough');
      const writing = scope().write(name, MANY_BYTES, { mode, signal: controller.signal });
      controller.abort(reason);
      await expect(writing).rejects.toBe(reason);
      expect(tree().text('a.txt')).toBe('old');
      expect(tree().names()).toEqual(['a.txt']);
    },
  );

  test('aborted in the middle of an addition or a write in place finishes it', async () => {
    tree().make({ 'a.txt': 'old', 'b.txt': 'old' });
    const controller = new AbortController();
    const { signal } = controller;
    const writing = [
      scope().write('a.txt', MANY_BYTES, { mode: 'append', signal }),
      fileRoot('b.txt').write(tree().in('b.txt'), MANY_BYTES, { signal }),
    ];
    controller.abort();
    expect(await Promise.all(writing)).toHaveLength(2);
    expect(lstatSync(tree().in('a.txt')).size).toBe(MANY_BYTES.length + 3);
    expect(readFileSync(tree().in('b.txt')).equals(MANY_BYTES)).toBe(true);
  });

  test('aborted beforehand does nothing', async () => {
    const signal = AbortSignal.abort();
    await expect(scope().write('a.txt', 'x', { signal })).rejects.toBe(signal.reason);
    expect(tree().names()).toEqual([]);
  });

  test('writes many files at once', async () => {
    const writing = scope();
    const names = Array.from({ length: 100 }, (_, index) => `file-${String(index).padStart(3, '0')}`);
    await Promise.all(names.map((name) => writing.write(name, name)));
    expect(tree().names()).toEqual(names);
    expect(names.every((name) => tree().text(name) === name)).toBe(true);
  });

  test('lets one of several overwrites made at once win as a whole', async () => {
    const writing = scope();
    const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200_000));
    await Promise.all(contents.map((content) => writing.write('a.txt', content)));
    expect(contents).toContain(tree().text('a.txt'));
    expect(tree().names()).toEqual(['a.txt']);
  });

  test('lets exactly one of several calls in mode new create the file', async () => {
    const writing = scope();
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((letter) => writing.write('a.txt', letter.repeat(200_000), { mode: 'new' })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(tree().names()).toEqual(['a.txt']);
  });
});
