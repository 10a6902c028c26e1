import { expect, test } from 'vitest';
import { declarePath, declareUri } from '../../src/roots/declaration.js';

test('declareUri() reads a client root', () => {
  expect(declareUri({ uri: 'file:///a', name: 'A' }, 'posix')).toEqual({
    ok: true,
    declared: 'file:///a',
    path: '/a',
    ambiguous: false,
    name: 'A',
    access: 'read-write',
  });
});

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

test.each([
  [null, 'null'],
  [undefined, 'undefined'],
  [7, '7'],
  ['file:///a', '"file:///a"'],
  [[], '[]'],
  [{}, '{}'],
  [{ uri: 7 }, '{"uri":7}'],
  [{ path: '/a\n' }, '{"path":"/a\\n"}'],
  [cyclic, '[object Object]'],
])('declareUri() refuses %o as malformed and shows it as JSON', (entry, declared) => {
  expect(declareUri(entry, 'posix')).toMatchObject({ ok: false, reason: 'malformed', declared });
});

test.each([
  ['[', ']', '[object Array]'],
  ['{"a":', '}', '[object Object]'],
])('declareUri() refuses %o nested too deep to be shown', (open, close, declared) => {
  const depth = 200_000;
  const entry: unknown = JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);
  expect(declareUri(entry, 'posix')).toMatchObject({ ok: false, reason: 'malformed', declared });
});

test('declareUri() shows at most 200 characters of what it refuses, on one line', () => {
  const refusal = declareUri({ uri: `http://\n${'x'.repeat(5000)}` }, 'posix');
  expect(refusal).toMatchObject({ ok: false, declared: expect.stringMatching(/^http:\/\/\\u000ax{180,}…$/) });
  expect(refusal.declared).toHaveLength(200);
});

test.each([
  ['', undefined],
  ['  ', undefined],
  ['a\nb', undefined],
  ['\uD800', undefined],
  [7, undefined],
  [null, undefined],
  ['x'.repeat(201), 'x'.repeat(200)],
  [`${'x'.repeat(199)}🙂`, 'x'.repeat(199)],
])('declareUri() reads the name %j as %j', (name, expected) => {
  expect(declareUri({ uri: 'file:///a', name }, 'posix')).toMatchObject({ ok: true, name: expected });
});

test.each(['${workspaceFolder}', 'file://${workspaceFolder}', 'file://${workspaceFolder}/a'])(
  'declareUri() refuses %j as unexpanded',
  (uri) => {
    expect(declareUri({ uri }, 'posix')).toMatchObject({ ok: false, reason: 'unexpanded', declared: uri });
  },
);

test.each([
  ['posix', '/a', undefined, '/a'],
  ['posix', '/a', '/base', '/a'],
  ['posix', 'a/../b', '/base', '/base/a/../b'],
  ['posix', '.', '/base', '/base/.'],
  ['windows', 'c:/a', undefined, 'C:\\a'],
  ['windows', 'a\\b', 'c:\\base', 'C:\\base\\a\\b'],
] as const)('declarePath() by %s rules reads %j with base %j as %j', (style, path, base, expected) => {
  expect(declarePath({ path }, style, base)).toMatchObject({ ok: true, path: expected, declared: path });
});

test.each([
  ['posix', '', '/base', 'malformed'],
  ['posix', 'a', undefined, 'not-absolute'],
  ['posix', 'a', 'base', 'not-absolute'],
  ['posix', '/a\n', undefined, 'bad-encoding'],
  ['posix', '${HOME}/a', undefined, 'unexpanded'],
  ['windows', '\\a', 'C:\\base', 'not-absolute'],
  ['windows', 'C:a', 'C:\\base', 'not-absolute'],
  ['windows', '\\\\server\\share', 'C:\\base', 'remote-authority'],
  ['windows', 'a.', 'C:\\base', 'ambiguous'],
] as const)('declarePath() by %s rules refuses %j with base %j as %s', (style, path, base, reason) => {
  expect(declarePath({ path }, style, base)).toMatchObject({ ok: false, reason });
});

test('declarePath() takes name and access as declared', () => {
  expect(declarePath({ path: '/a', name: 'A', access: 'read-only' }, 'posix', undefined)).toMatchObject({
    name: 'A',
    access: 'read-only',
  });
  expect(declarePath({ path: '/a' }, 'posix', undefined)).toMatchObject({
    name: undefined,
    access: 'read-write',
  });
});
