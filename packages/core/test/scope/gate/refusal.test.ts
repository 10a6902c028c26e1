import { errnoOf } from '../../../src/platform/errno.js';
import { describe, expect, test } from 'vitest';
import { RootwardError } from '../../../src/error.js';
import {
  fromSystem,
  noRoots,
  outsideRoots,
  quotePath,
  refused,
  scopeError,
} from '../../../src/scope/gate/refusal.js';
import { Scope } from '../../../src/scope/scope.js';
import { refusalOf, rootAt, useTree } from '../fixture.js';

const tree = useTree();

function manyRoots(count: number): ReturnType<typeof rootAt>[] {
  return Array.from({ length: count }, (_, index) => rootAt(`/data/project-${index}`));
}

test('outsideRoots() says what was asked, why, and what to do', () => {
  const refusal = outsideRoots('read', '/etc/passwd', [rootAt('/data')]);
  expect(refusal.message).toBe('Cannot read "/etc/passwd": it is outside the roots (/data)');
  expect(refusal).toMatchObject({ code: 'outside-roots', path: '/etc/passwd' });
  expect(refusal.instruction).toBeTruthy();
});

test('outsideRoots() names at most five roots and counts the others', () => {
  const { message } = outsideRoots('read', 'x', manyRoots(7));
  expect(message).toContain('/data/project-4 and 2 more');
  expect(message).not.toContain('project-5');
  expect(outsideRoots('read', 'x', manyRoots(5)).message).not.toContain('more');
});

test('outsideRoots() does not grow with the number of roots or the length of the path', () => {
  const refusal = outsideRoots('read', 'x'.repeat(100_000), manyRoots(5000));
  expect(refusal.message.length).toBeLessThan(1000);
});

test('every operation of a scope with 5,000 roots refuses in a few words', async () => {
  const scope = new Scope({ roots: manyRoots(5000) });
  const outside = tree().out('a.txt');
  const attempts: readonly (() => unknown)[] = [
    () => scope.locate(outside),
    () => scope.open(outside),
    () => scope.readText(outside),
    () => scope.readBytes(outside),
    () => scope.write(outside, ''),
    () => scope.mkdir(outside),
    () => scope.mkdir(outside, { recursive: true }),
    () => scope.list(outside),
    () => scope.stat(outside),
    () => scope.rename(outside, outside),
    () => scope.copy(outside, outside),
    () => scope.remove(outside),
    () => scope.walk(outside).next(),
    () => scope.readText('relative.txt'),
  ];
  for (const attempt of attempts) {
    const refusal = await refusalOf(attempt);
    expect(refusal.code).toBe('outside-roots');
    expect(refusal.message.length).toBeLessThan(1000);
    expect(refusal.message.match(/project-/g)).toHaveLength(5);
  }
});

test('noRoots() says that nothing is in scope and how to change that', () => {
  const refusal = noRoots('read', 'a.txt');
  expect(refusal.code).toBe('no-roots');
  expect(refusal.instruction).toMatch(/folder/);
});

test('refused() has a code and an instruction for every rule', () => {
  const refusals = [
    refused('write', 'a', { code: 'denied', pattern: '*.key' }),
    refused('write', 'a', { code: 'read-only' }),
    refused('write', 'a', { code: 'protected', reason: 'git runs hooks from it' }),
  ];
  expect(refusals.map(({ code }) => code)).toEqual(['denied', 'read-only', 'protected']);
  for (const { message, instruction } of refusals) {
    expect(message).toMatch(/^Cannot write "a": .*[^.]$/);
    expect(instruction).toBeTruthy();
  }
  expect(refusals[0]?.message).toContain('"*.key"');
});

test('quotePath() puts a path on one line and cuts a long one', () => {
  expect(quotePath('a"\n')).toBe('"a\\"\\n"');
  expect(quotePath('x'.repeat(1000)).length).toBeLessThan(310);
});

describe('fromSystem()', () => {
  test.each([
    ['ENOENT', 'not-found'],
    ['ENOTDIR', 'not-a-directory'],
    ['EISDIR', 'not-a-file'],
    ['EEXIST', 'already-exists'],
    ['ENOTEMPTY', 'not-empty'],
    ['ELOOP', 'link-loop'],
    ['ENAMETOOLONG', 'invalid-path'],
    ['EILSEQ', 'invalid-path'],
    ['ESTALE', 'unstable-path'],
    ['EXDEV', 'cross-device'],
    ['EACCES', 'not-permitted'],
    ['EPERM', 'not-permitted'],
    ['EROFS', 'not-permitted'],
    ['EBUSY', 'not-permitted'],
    ['ENXIO', 'unsupported-type'],
    ['EIO', 'io'],
    ['ENOSPC', 'io'],
  ])('turns %s into %s and keeps the cause', (errno, code) => {
    const cause = Object.assign(new Error(`${errno}: at /canonical/secret`), { code: errno });
    const refusal = fromSystem('read', 'asked', cause);
    expect(refusal).toMatchObject({ code, path: 'asked', cause });
    expect(refusal.message).toMatch(/^Cannot read "asked": /);
    expect(refusal.message).not.toContain('/canonical');
  });

  test('leaves our own errors as they are', () => {
    const own = scopeError('denied', 'read', 'a', 'no');
    expect(fromSystem('write', 'b', own)).toBe(own);
  });

  test('makes one of ours of anything else', () => {
    for (const thrown of ['text', undefined, new Error('plain'), { code: 'ENOENT' }]) {
      const refusal = fromSystem('read', 'a', thrown);
      expect(refusal).toBeInstanceOf(RootwardError);
      expect(refusal.code).toBe('io');
    }
  });
});

test('errnoOf() reads a code of text only, and of errors only', () => {
  expect(errnoOf(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('ENOENT');
  expect(errnoOf(Object.assign(new Error('x'), { code: 5 }))).toBeUndefined();
  expect(errnoOf('ENOENT')).toBeUndefined();
});
