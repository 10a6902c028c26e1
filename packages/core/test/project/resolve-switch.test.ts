import { writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isProjectName } from '../../src/project/project-name.js';
import { projectOf } from '../../src/project/project.js';
import { resolveSwitch } from '../../src/project/resolve-switch.js';
import { connectAsked, makeTree } from '../workspace/scripted-client.js';

async function rootsAt(...paths: readonly string[]) {
  const { workspace, client } = await connectAsked();
  await client.answer(paths);
  return workspace.snapshot().roots;
}

describe('resolveSwitch()', () => {
  test("a root's name or path means that root", async () => {
    const tree = makeTree('a', 'b');
    const roots = await rootsAt(tree('a'), tree('b'));
    for (const text of ['b', tree('b'), `${tree('b')}/`, `${tree('a')}/../b`]) {
      expect(resolveSwitch(text, roots)).toEqual({ kind: 'root', root: roots[1] });
    }
  });

  test('a name that two roots share is ambiguous, and the ids tell them apart', async () => {
    const tree = makeTree('one/app', 'two/app');
    const roots = await rootsAt(tree('one/app'), tree('two/app'));
    expect(resolveSwitch('app', roots)).toEqual({ kind: 'ambiguous', roots });
    expect(resolveSwitch(projectOf(roots[1]!).id, roots)).toEqual({ kind: 'root', root: roots[1] });
  });

  test('any other absolute path is a path, whether it exists or not', async () => {
    const tree = makeTree('a', 'elsewhere');
    const roots = await rootsAt(tree('a'));
    expect(resolveSwitch(tree('elsewhere'), roots)).toEqual({ kind: 'path', path: tree('elsewhere') });
    expect(resolveSwitch(`${tree('a')}/sub`, roots)).toEqual({ kind: 'path', path: tree('a/sub') });
  });

  test('a whole disk has no name, so it is no project, root or not', async () => {
    const roots = await rootsAt('/');
    expect(resolveSwitch('/', [])).toEqual({ kind: 'invalid' });
    expect(resolveSwitch('/', roots)).toEqual({ kind: 'invalid' });
  });

  test('a single-file root is no project', async () => {
    const tree = makeTree();
    writeFileSync(tree('notes.txt'), '');
    const roots = await rootsAt(tree('notes.txt'));
    expect(resolveSwitch('notes.txt', roots)).toEqual({ kind: 'name', name: 'notes.txt' });
  });

  test.each([
    '',
    '.',
    '..',
    './foo',
    'foo/bar',
    'foo\\bar',
    '../up',
    ' padded ',
    'line\nbreak',
    'C:',
    'c:foo',
    'C:\\foo',
    'C:/foo',
  ])('%j is never a name', (text) => {
    expect(resolveSwitch(text, [])).toEqual({ kind: 'invalid' });
  });

  test.skipIf(process.platform === 'win32')('a root may have a name that looks like a drive', async () => {
    const tree = makeTree('c:app');
    const roots = await rootsAt(tree('c:app'));
    expect(resolveSwitch('c:app', roots)).toEqual({ kind: 'root', root: roots[0] });
  });

  test('any other bare name is a name', () => {
    expect(resolveSwitch('my-project', [])).toEqual({ kind: 'name', name: 'my-project' });
  });
});

test('isProjectName() never accepts anything that could be a path', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', ' ', '\u0000', 'é') }), (text) => {
      if (!isProjectName(text)) return;
      expect(text).not.toMatch(/[/\\\0]/);
      expect(['', '.', '..']).not.toContain(text);
    }),
    { numRuns: 2_000 },
  );
});
