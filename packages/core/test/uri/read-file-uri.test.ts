import { describe, expect, test } from 'vitest';
import type { RejectionReason } from '../../src/error.js';
import type { PathStyle } from '../../src/uri/path-style.js';
import { readFileUri } from '../../src/uri/read-file-uri.js';

type Accepted = readonly [uri: string, path: string];
type Refused = readonly [uri: string, reason: RejectionReason];

const accepted: Record<PathStyle, readonly Accepted[]> = {
  posix: [
    ['file:///home/u', '/home/u'],
    ['FILE:///home/u', '/home/u'],
    ['file://localhost/home/u', '/home/u'],
    ['file://LocalHost/home/u', '/home/u'],
    ['file:/home/u', '/home/u'],
    ['file:///', '/'],
    ['file:///home/u/', '/home/u/'],
    ['file:///c%3A/work', '/c:/work'],
    ['file:///a%20b', '/a b'],
    ['file:///a b', '/a b'],
    ['file:///gr%C3%BC%C3%9Fe', '/grüße'],
    ['file:///grüße', '/grüße'],
    ['file:///%2541', '/%41'],
    ['file:///a%3Fb%23c', '/a?b#c'],
    ['file:///a\\b', '/a\\b'],
    ['file:///a%5Cb', '/a\\b'],
    ['file:///a/../b', '/a/../b'],
    ['file:///a/%2E%2E/b', '/a/../b'],
    ['file:///a/./b', '/a/./b'],
    ['file:///%EF%BB%BFa', '/\uFEFFa'],
  ],
  windows: [
    ['file:///c%3A/work/p', 'C:\\work\\p'],
    ['file:///C:/x', 'C:\\x'],
    ['file:///c:/', 'C:\\'],
    ['file://C:/x', 'C:\\x'],
    ['file://c%3a/x', 'C:\\x'],
    ['file://d:\\dev\\x', 'D:\\dev\\x'],
    ['file:///d:\\dev\\x', 'D:\\dev\\x'],
    ['file:/C:/x', 'C:\\x'],
    ['file://localhost/C:/x', 'C:\\x'],
    ['file://LOCALHOST/c%3A/x', 'C:\\x'],
    ['C:\\x', 'C:\\x'],
    ['c:/x/y', 'C:\\x\\y'],
    ['C:\\100%\\a#b', 'C:\\100%\\a#b'],
    ['file:///C:/a/../b', 'C:\\a\\..\\b'],
    ['file:///C:/a%20b/%23', 'C:\\a b\\#'],
  ],
};

const refused: Record<PathStyle, readonly Refused[]> = {
  posix: [
    ['', 'malformed'],
    ['file:', 'malformed'],
    ['file://', 'malformed'],
    ['file://localhost', 'malformed'],
    ['/home/u', 'not-a-file-uri'],
    ['home/u', 'not-a-file-uri'],
    ['https://example.org/a', 'not-a-file-uri'],
    ['untitled:foo', 'not-a-file-uri'],
    ['files:///a', 'not-a-file-uri'],
    [' file:///a', 'not-a-file-uri'],
    ['C:\\x', 'not-a-file-uri'],
    ['file:home/u', 'not-absolute'],
    ['file:../u', 'not-absolute'],
    ['file:\\home', 'not-absolute'],
    ['file://home/u', 'remote-authority'],
    ['file://127.0.0.1/u', 'remote-authority'],
    ['file://user@localhost/u', 'remote-authority'],
    ['file://localhost:80/u', 'remote-authority'],
    ['file://C:/x', 'remote-authority'],
    ['file://d:\\x', 'remote-authority'],
    ['file://localhost?/u', 'remote-authority'],
    ['file:///a%2Fb', 'bad-encoding'],
    ['file:///a%2fb', 'bad-encoding'],
    ['file:///a%00b', 'bad-encoding'],
    ['file:///a\0b', 'bad-encoding'],
    ['file:///a%0Ab', 'bad-encoding'],
    ['file:///a\nb', 'bad-encoding'],
    ['file:///a%7F', 'bad-encoding'],
    ['file:///a%C2%85', 'bad-encoding'],
    ['file:///a\u0085', 'bad-encoding'],
    ['file:///100%', 'bad-encoding'],
    ['file:///%zz', 'bad-encoding'],
    ['file:///a/%E0%A4%A', 'bad-encoding'],
    ['file:///%FF', 'bad-encoding'],
    ['file:///%C0%AF', 'bad-encoding'],
    ['file:///%ED%A0%80', 'bad-encoding'],
    ['file:///\uD800', 'bad-encoding'],
  ],
  windows: [
    ['', 'malformed'],
    ['file://', 'malformed'],
    ['/home/u', 'not-a-file-uri'],
    ['x\\y', 'not-a-file-uri'],
    ['https://example.org/a', 'not-a-file-uri'],
    ['file:///home/u', 'not-absolute'],
    ['file:///C:', 'not-absolute'],
    ['file://C:', 'not-absolute'],
    ['file:C:/x', 'not-absolute'],
    ['file:x', 'not-absolute'],
    ['C:x', 'not-absolute'],
    ['\\x', 'not-absolute'],
    ['\\??\\C:\\x', 'not-absolute'],
    ['file://server/share', 'remote-authority'],
    ['file:////server/share', 'remote-authority'],
    ['file:///\\\\?\\C:\\x', 'remote-authority'],
    ['file://./C:/x', 'remote-authority'],
    ['\\\\server\\share', 'remote-authority'],
    ['//server/share', 'remote-authority'],
    ['\\\\?\\C:\\x', 'remote-authority'],
    ['\\\\.\\C:\\x', 'remote-authority'],
    ['//./C:/x', 'remote-authority'],
    ['file:///C:/a%2Fb', 'bad-encoding'],
    ['file:///C:/a%5Cb', 'bad-encoding'],
    ['file:///C:/a%5cb', 'bad-encoding'],
    ['file:///C:/a%00', 'bad-encoding'],
    ['C:\\a\nb', 'bad-encoding'],
    ['C:\\\uDC00', 'bad-encoding'],
    ['file:///C:/a:stream', 'malformed'],
    ['file:///C:/a%3Astream', 'malformed'],
    ['C:\\a::$DATA', 'malformed'],
    ['file:///C:/a.', 'ambiguous'],
    ['file:///C:/a%20', 'ambiguous'],
    ['file:///C:/a./b', 'ambiguous'],
    ['C:\\a \\b', 'ambiguous'],
    ['C:\\...\\b', 'ambiguous'],
  ],
};

describe.each(['posix', 'windows'] as const)('readFileUri() by %s rules', (style) => {
  test.each(accepted[style])('reads %j as %j', (uri, path) => {
    expect(readFileUri(uri, style)).toEqual({ ok: true, path, ambiguous: false });
  });

  test.each(refused[style])('refuses %j as %s', (uri, reason) => {
    expect(readFileUri(uri, style)).toMatchObject({
      ok: false,
      reason,
      message: expect.stringMatching(/^Cannot read "[^\p{Cc}\p{Cs}]*": .*[^.]$/u),
    });
  });
});

test.each([
  ['posix', 'file:///tmp/a#b', '/tmp/a#b'],
  ['posix', 'file:///tmp/a?b', '/tmp/a?b'],
  ['posix', 'file:///tmp/a?b/c#d', '/tmp/a?b/c#d'],
  ['posix', 'file:///?', '/?'],
  ['windows', 'file:///C:/a#b', 'C:\\a#b'],
  ['windows', 'file:///C:/a?b', 'C:\\a?b'],
] as const)('readFileUri() by %s rules keeps all of %j and marks it as ambiguous', (style, uri, path) => {
  expect(readFileUri(uri, style)).toEqual({ ok: true, path, ambiguous: true });
});

test('readFileUri() quotes at most 200 characters of what it was given', () => {
  const reading = readFileUri(`https://${'x'.repeat(1_000_000)}`, 'posix');
  expect(reading).toMatchObject({ ok: false, message: expect.stringMatching(/^.{0,260}$/) });
});
