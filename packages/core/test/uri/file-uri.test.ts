import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RootwardError } from '../../src/error.js';
import { fileUriToPath, pathToFileUri } from '../../src/uri/file-uri.js';
import { hostPathStyle, type PathStyle } from '../../src/uri/path-style.js';
import { readFileUri } from '../../src/uri/read-file-uri.js';

// One path part may hold 255 bytes on the usual disks, and one UTF-16 unit takes at most three.
const MAX_NAME_LENGTH = 80;

const posixName = fc
  .string({ unit: 'binary', minLength: 1, maxLength: MAX_NAME_LENGTH })
  .filter((name) => !/[\p{Cc}\p{Cs}/]/u.test(name) && name !== '.' && name !== '..');
const windowsName = posixName.filter(
  (name) => !/[\\:]|[. ]$|^(?:con|prn|aux|nul|com\S|lpt\S|conin\$|conout\$) *(?:\.|$)/i.test(name),
);
const trickyName = fc.constantFrom(
  '#',
  '?',
  '%41',
  'a b',
  "A'",
  '"',
  'A ',
  ' ',
  '🙂',
  'a\\b',
  '%',
  '%2F',
  '[1]',
);
const uriLike = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'file:',
        'FILE://',
        '/',
        '//',
        '\\',
        'C:',
        'c%3A',
        'localhost',
        'host',
        '%2F',
        '%5C',
        '%00',
      ),
      fc.constantFrom('..', '.', '%2e%2e', '?', '#', '%', '%C3%BC', '%FF', '\0', '\n', '\uD800', '${x}', ' '),
      fc.string({ maxLength: 5, unit: 'binary' }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

let directory: string;

beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'rootward-uri-')));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

test('a directory that exists round-trips through its URI, whatever its name', async () => {
  const name = hostPathStyle === 'posix' ? fc.oneof(posixName, trickyName) : windowsName;
  await fc.assert(
    fc.asyncProperty(name, async (value) => {
      const path = join(directory, value);
      await mkdir(path, { recursive: true });
      const read = fileUriToPath(pathToFileUri(path));
      expect(read).toBe(path);
      expect(existsSync(read)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('any windows path round-trips through its URI', () => {
  fc.assert(
    fc.property(fc.array(windowsName, { maxLength: 5 }), (names) => {
      const path = `C:\\${names.join('\\')}`;
      expect(fileUriToPath(pathToFileUri(path, 'windows'), 'windows')).toBe(path);
    }),
  );
});

describe.each(['posix', 'windows'] as const)('by %s rules', (style) => {
  test('no text makes the functions throw anything but a RootwardError', () => {
    fc.assert(
      fc.property(uriLike, (text) => {
        expect(foreignError(() => fileUriToPath(text, style))).toBeUndefined();
        expect(foreignError(() => pathToFileUri(text, style))).toBeUndefined();
      }),
      { numRuns: 3000 },
    );
  });

  test('no URI yields a path wider than it names', () => {
    fc.assert(
      fc.property(uriLike, uriLike, (start, end) => {
        const uri = `${style === 'windows' ? 'file:///C:/' : 'file:///'}${start}/${end}`;
        const reading = readFileUri(uri, style);
        fc.pre(reading.ok);
        expect(segments(reading.path, style)).toEqual(segmentsOfUri(uri, style));
        const again = readFileUri(pathToFileUri(reading.path, style), style);
        expect(again).toEqual({ ok: true, path: reading.path, ambiguous: false });
      }),
      { numRuns: 2000 },
    );
  });
});

/** Counts what lies between separators as the URI writes them, knowing nothing of the reader under test. */
function segmentsOfUri(uri: string, style: PathStyle): string[] {
  const rest = uri.slice('file://'.length);
  return segments(rest, style).map((part) => decodeURIComponent(part));
}

function segments(path: string, style: PathStyle): string[] {
  const parts = path.split(style === 'windows' ? /[\\/]/ : '/');
  return parts[0] === '' ? parts.slice(1) : parts;
}

/** What `run` threw, unless it is this package's own error. */
function foreignError(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof RootwardError ? undefined : error;
  }
}

test('fileUriToPath() throws with the reason as code and names what it was given', () => {
  expect(() => fileUriToPath('file://host/a', 'posix')).toThrowError(
    expect.objectContaining({
      code: 'remote-authority',
      path: 'file://host/a',
      message: 'Cannot read "file://host/a": "host" is not this machine',
    }),
  );
});

test.each(['file:///a?b', 'file:///a#b'])('fileUriToPath() refuses %j, since it cannot look', (uri) => {
  expect(() => fileUriToPath(uri, 'posix')).toThrowError(expect.objectContaining({ code: 'ambiguous' }));
});

test.each([
  ['posix', '/a b/#?%41/ü', 'file:///a%20b/%23%3F%2541/%C3%BC'],
  ['posix', '/a\\b', 'file:///a%5Cb'],
  ['posix', '/', 'file:///'],
  ['windows', 'c:\\a b\\#', 'file:///C:/a%20b/%23'],
  ['windows', 'C:/', 'file:///C:/'],
] as const)('pathToFileUri() by %s rules encodes %j as %j', (style, path, uri) => {
  expect(pathToFileUri(path, style)).toBe(uri);
});

test.each([
  ['posix', '', 'malformed'],
  ['posix', 'a/b', 'not-absolute'],
  ['posix', '/a\0', 'bad-encoding'],
  ['posix', '/a\n', 'bad-encoding'],
  ['posix', '/\uDC00', 'bad-encoding'],
  ['windows', '\\a', 'not-absolute'],
  ['windows', '\\\\server\\share', 'remote-authority'],
] as const)('pathToFileUri() by %s rules refuses %j as %s', (style, path, code) => {
  expect(() => pathToFileUri(path, style)).toThrowError(expect.objectContaining({ code }));
});
