import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadSettings, type LoadedSettings } from '../../src/settings/load-settings.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-strict-')));
afterAll(() => rmSync(top, { recursive: true }));
let count = 0;

/** A home of its own, with these files. */
function makeHome(files: Readonly<Record<string, string>> = {}): string {
  const home = join(top, String(count++));
  mkdirSync(home);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

const FILE = '.config/rootward/rootward.json';

function load(home: string, project?: string): Promise<LoadedSettings> {
  return loadSettings(project === undefined ? {} : { project }, {}, home);
}

describe('rootward.json stops the start where it says something that is not understood', () => {
  test.each([
    ['an unknown key', '{"readOnyl": true}', '"readOnyl" is not known; did you mean "readOnly"?'],
    [
      'an unknown key of a root',
      '{"roots": ["/a", {"path": "/b", "readOnly": true}]}',
      '"roots.1.readOnly" is not known; known are path, name, access',
    ],
    [
      'a key of a root in another letter case',
      '{"roots": [{"path": "/b", "Access": "read-only"}]}',
      '"roots.0.Access" is not known; did you mean "access"?',
    ],
    ['a deny of a root', '{"roots": [{"path": "/b", "deny": ["x"]}]}', '"roots.0.deny" is not known'],
    [
      'an unknown access',
      '{"roots": [{"path": "/b", "access": "readonly"}]}',
      '"roots.0.access" is "readonly", expected read-write, read-only; did you mean "read-only"?',
    ],
    ['a key that is there twice', '{\n"readOnly": true,\n"readOnly": false\n}', '"readOnly" is there twice'],
    [
      'a key of a root that is there twice',
      '{"roots": [{"path": "/b", "access": "read-only", "acc\\u0065ss": "read-write"}]}',
      '"access" is there twice, the second time at line 1',
    ],
    ['a ceiling of nothing', '{"within": []}', 'expected at least one folder'],
  ])('%s', async (_, text, problem) => {
    const home = makeHome({ [FILE]: text });
    await expect(load(home)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(problem),
    });
  });

  test('the same key in two objects, and a text that looks like one, are fine', async () => {
    const home = makeHome({
      [FILE]:
        '{"roots": [{"path": "/a"}, {"path": "/b", "name": "\\"path\\": 1, {"}], "deny": ["path", "path"]}',
    });
    expect((await load(home)).configuredRoots[0]?.roots).toHaveLength(2);
  });
});

describe('a dangling link where rootward.json is looked for stops the start', () => {
  test('the file itself', async () => {
    const home = makeHome({ '.config/rootward/x': '' });
    symlinkSync(join(home, 'gone.json'), join(home, FILE));
    await expect(load(home)).rejects.toThrow(/it is a link to something that does not exist$/);
  });

  test('a folder above it', async () => {
    const home = makeHome();
    symlinkSync(join(home, 'not mounted'), join(home, '.config'));
    await expect(load(home)).rejects.toThrow(/\.config is a link to something that does not exist$/);
  });

  test('no file at all is fine', async () => {
    expect((await load(makeHome())).files).toEqual([]);
  });
});

describe('config/roots.json of a tools project stops the start where it cannot be used', () => {
  test.each([
    ['no JSON', '{"roots": ["/a"],}', 'it is not JSON'],
    ['no list', '{"root": ["/a"]}', 'expected an object with a list "roots"'],
    [
      'an entry with an unknown key',
      '{"roots": [{"path": "/a", "mode": "ro"}]}',
      '"roots.0.mode" is not known',
    ],
    ['a key that is there twice', '{"roots": [], "roots": ["/a"]}', '"roots" is there twice'],
  ])('%s', async (_, text, problem) => {
    const home = makeHome({ 'project/config/roots.json': text });
    await expect(load(home, join(home, 'project'))).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(problem),
    });
  });

  test('a dangling link', async () => {
    const home = makeHome({ 'project/config/x': '' });
    symlinkSync(join(home, 'gone'), join(home, 'project/config/roots.json'));
    await expect(load(home, join(home, 'project'))).rejects.toThrow('link to something that does not exist');
  });

  test('a folder in its place', async () => {
    const home = makeHome({ 'project/config/roots.json/x': '' });
    await expect(load(home, join(home, 'project'))).rejects.toThrow('EISDIR');
  });

  test('none at all, and one as mcp-bash writes it, are fine', async () => {
    const home = makeHome({
      'project/config/roots.json': '{"roots": [{"path": ".", "name": "here"}]}',
      'other/x': '',
    });
    await expect(load(home, join(home, 'project'))).resolves.toBeDefined();
    await expect(load(home, join(home, 'other'))).resolves.toBeDefined();
  });
});
