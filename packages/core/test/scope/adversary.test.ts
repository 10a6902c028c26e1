import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pin, Platform } from '../../src/scope/pin/pin.js';
import { systemPlatform } from '../../src/scope/pin/system.js';
import { Scope } from '../../src/scope/scope.js';
import { isTemporaryName } from '../../src/scope/operations/temporary-files.js';
import { codeOf, hasOtherDisk, OTHER_DISK, rootAt, scopeOf, useTree } from './fixture.js';
import { shownAs } from './wrapped-platform.js';

const tree = useTree();

/**
 * The system's platform, with moments in which another process acts: when a pinned object is opened for use, and when
 * an entry called `trap` is about to be pinned.
 */
function interruptedBy(act: () => void): Platform {
  const platform = systemPlatform();
  const interrupt = (pin: Pin): Pin => ({
    path: pin.path,
    stats: pin.stats,
    self: pin.self,
    child: (name) => pin.child(name),
    reopen: (flags) => {
      act();
      return pin.reopen(flags);
    },
    reopenHandle: (flags) => pin.reopenHandle(flags),
    hasMoved: () => pin.hasMoved(),
    close: () => pin.close(),
  });
  return {
    guarantee: (operation) => platform.guarantee(operation),
    pin: (path, options) => {
      if (basename(path) === 'trap') act();
      return interrupt(platform.pin(path, options));
    },
  };
}

describe.runIf(process.platform === 'linux')('While an operation runs', () => {
  test('Scope.copy() writes to the file it made, also when a link takes the name of that file', async () => {
    tree().make({ 'a.txt': 'from inside' });
    const victim = join(tree().outside, 'victim.txt');
    writeFileSync(victim, 'untouched', { mode: 0o600 });
    const platform = interruptedBy(() => {
      const temporary = readdirSync(tree().inside).find(isTemporaryName);
      if (temporary === undefined) return;
      unlinkSync(tree().in(temporary));
      symlinkSync(victim, tree().in(temporary));
    });
    await scopeOf(tree().inside, { platform })
      .copy('a.txt', 'b.txt')
      .catch(() => undefined);
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(statSync(victim).mode & 0o777).toBe(0o600);
  });

  test('Scope.copy() gives up when the target folder is moved out of the root', async () => {
    tree().make({ 'a.txt': 'from inside', sub: {} });
    const platform = interruptedBy(() => {
      if (existsSync(tree().in('sub'))) renameSync(tree().in('sub'), join(tree().outside, 'sub'));
    });
    const scope = scopeOf(tree().inside, { platform });
    expect(await codeOf(scope.copy('a.txt', 'sub/b.txt'))).toBe('unstable-path');
    expect(readdirSync(join(tree().outside, 'sub'))).toEqual([]);
  });

  test('Scope.rename() gives up when the target folder is moved out of the root', async () => {
    tree().make({ a: { trap: {} }, sub: {} });
    const platform = interruptedBy(() => renameSync(tree().in('sub'), tree().out('sub')));
    expect(await codeOf(scopeOf(tree().inside, { platform }).rename('a', 'sub/a'))).toBe('unstable-path');
    expect(readdirSync(tree().out('sub'))).toEqual([]);
    expect(tree().names()).toEqual(['a']);
  });

  test.runIf(hasOtherDisk)(
    'Scope.rename() removes no file that left the root while it was copied',
    async () => {
      const disk = mkdtempSync(join(OTHER_DISK, 'rootward-scope-'));
      onTestFinished(() => rmSync(disk, { recursive: true }));
      tree().make({ sub: { 'a.txt': 'text' } });
      const platform = interruptedBy(() => renameSync(tree().in('sub'), tree().out('sub')));
      const scope = new Scope({
        roots: [rootAt(tree().inside), rootAt('/other-disk')],
        platform: shownAs(platform, disk, '/other-disk'),
      });
      expect(await codeOf(scope.rename('sub/a.txt', '/other-disk/a.txt'))).toBe('unstable-path');
      expect(readFileSync(tree().out('sub', 'a.txt'), 'utf8')).toBe('text');
    },
  );

  test('Scope.rename() does not move a folder that took the name of the one it looked at', async () => {
    tree().make({ a: { trap: {} }, b: { key: 'secret' } });
    const platform = interruptedBy(() => {
      renameSync(tree().in('a'), tree().in('c'));
      renameSync(tree().in('b'), tree().in('a'));
      mkdirSync(tree().in('c', 'trap'), { recursive: true });
    });
    const scope = scopeOf(tree().inside, { platform, rules: { deny: ['a/key'] } });
    expect(await codeOf(scope.rename('a', 'moved'))).toBe('unstable-path');
    expect(tree().names()).toEqual(['a', 'c']);
  });
});

describe('A model that chooses its paths well', () => {
  test('makes no folder on the way to a refusal', async () => {
    const scope = scopeOf(tree().inside);
    for (const path of ['.rootward.json/x', 'a/.rootward.json/x', '.ROOTWARD.JSON/x']) {
      expect(await codeOf(scope.mkdir(path, { recursive: true }))).toBe('protected');
    }
    expect(tree().names()).toEqual([]);
  });

  test('does not get at a protected file by moving its folder', async () => {
    tree().make({ sub: { deep: { '.rootward.json': '{}' } } });
    const scope = scopeOf(tree().inside);
    expect(await codeOf(scope.rename('sub', 'other'))).toBe('protected');
    expect(await codeOf(scope.remove('sub', { recursive: true }))).toBe('protected');
    expect(tree().names()).toEqual(['sub']);
  });

  test('does not plant files where a rule denies them by moving a folder there', async () => {
    tree().make({ a: { 'x.yml': 'planted' } });
    const scope = scopeOf(tree().inside, { rules: { deny: ['conf/*.yml'] } });
    expect(await codeOf(scope.rename('a', 'conf'))).toBe('denied');
    expect(tree().names()).toEqual(['a']);
  });

  test('learns nothing about files outside from the kind of refusal', async () => {
    writeFileSync(join(tree().outside, 'there'), '');
    mkdirSync(join(tree().outside, 'folder'));
    for (const target of ['there', 'missing', 'there/below', 'folder/missing']) {
      tree().link(target.replace('/', '-'), join(tree().outside, target));
    }
    tree().make({ 'q?': {} });
    const scope = scopeOf(tree().inside);
    for (const name of ['there', 'missing', 'there-below', 'folder-missing']) {
      expect(await codeOf(scope.readText(name))).toBe('outside-roots');
      expect(await codeOf(scope.write(name, ''))).toBe('outside-roots');
    }
    const hidden = (name: string): string => `file://${tree().inside}/q?/../../outside/${name}`;
    expect(await codeOf(scope.stat(hidden('there')))).toBe(await codeOf(scope.stat(hidden('missing'))));
  });

  test('cannot keep the process busy with a long path', async () => {
    const scope = scopeOf(tree().inside);
    for (const path of ['/'.repeat(200_000) + 'a', 'a/'.repeat(150_000), `file://${'/'.repeat(9000)}a`]) {
      expect(await codeOf(scope.readText(path))).toBe('invalid-path');
      expect(await codeOf(scope.remove(path))).toBe('invalid-path');
    }
  });

  test('reaches no interface of the kernel, however wide the roots are', async () => {
    const scope = new Scope({ roots: [rootAt('/', { broad: true, access: 'read-only' })] });
    for (const path of ['/proc/self/environ', 'proc/self/environ', '/dev/null', 'dev', '/sys/kernel']) {
      expect(await codeOf(scope.open(path))).toBe('outside-roots');
      expect(await codeOf(scope.remove(path))).toBe('outside-roots');
    }
  });
});
