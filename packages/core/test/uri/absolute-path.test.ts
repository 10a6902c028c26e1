import { expect, test } from 'vitest';
import { readAbsolutePath } from '../../src/uri/absolute-path.js';

test('readAbsolutePath() takes a posix path as it stands', () => {
  for (const path of ['/', '/a/../b', '/a\\b', '/a ', '/a?b#c%41', '//a']) {
    expect(readAbsolutePath(path, 'posix')).toEqual({ ok: true, path });
  }
});

test('readAbsolutePath() takes windows names that only begin like a device', () => {
  for (const path of ['C:\\console', 'C:\\com', 'C:\\com10', 'C:\\nul_\\a', 'C:\\a.con', 'C:\\null.txt']) {
    expect(readAbsolutePath(path, 'windows')).toEqual({ ok: true, path });
  }
});

test('readAbsolutePath() writes a windows path with an upper-case drive and backslashes', () => {
  expect(readAbsolutePath('c:/a\\b/', 'windows')).toEqual({ ok: true, path: 'C:\\a\\b\\' });
});

test.each([
  ['posix', '', 'malformed'],
  ['posix', 'a/b', 'not-absolute'],
  ['posix', './a', 'not-absolute'],
  ['posix', '/a\nb', 'bad-encoding'],
  ['posix', '/\uD800', 'bad-encoding'],
  ['windows', '', 'malformed'],
  ['windows', '/a', 'not-absolute'],
  ['windows', 'C:', 'not-absolute'],
  ['windows', 'C:a', 'not-absolute'],
  ['windows', '\\\\server\\share', 'remote-authority'],
  ['windows', 'C:\\a:b', 'malformed'],
  ['windows', 'C:\\a.', 'ambiguous'],
  ['windows', 'C:\\a\0', 'bad-encoding'],
  ['windows', 'C:\\NUL', 'not-a-directory-or-file'],
  ['windows', 'C:\\a\\con', 'not-a-directory-or-file'],
  ['windows', 'C:/Aux.txt/b', 'not-a-directory-or-file'],
  ['windows', 'C:\\a\\com1.tar.gz', 'not-a-directory-or-file'],
  ['windows', 'C:\\a\\LPT\u00B2 .log', 'not-a-directory-or-file'],
  ['windows', 'C:\\conin$', 'not-a-directory-or-file'],
] as const)('readAbsolutePath() by %s rules refuses %j as %s', (style, path, reason) => {
  expect(readAbsolutePath(path, style)).toMatchObject({ ok: false, reason });
});
