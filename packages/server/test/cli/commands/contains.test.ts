import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../../fixtures/command-line.js';

const makeHome = makeHomes();

describe('rootward contains', () => {
  test.each([
    ['project', 0],
    ['project/not-yet/there', 0],
    ['~/project/x', 0],
    ['~', 1],
    ['.', 1],
    ['project/..', 1],
    ['projects', 1],
    ['/', 1],
  ])('%s exits with %i', async (path, code) => {
    expect(await run(makeHome(), ['contains', path, '--root', 'project'])).toMatchObject({ code });
  });

  test.each(['project/a\nnot in scope: b', '/x\nin scope: b'])('answers %j in one line', async (path) => {
    const { out } = await run(makeHome(), ['contains', path, '--root', 'project']);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
  });

  test('shows the path without . and .., where they name the same place', async () => {
    const home = makeHome();
    const answerTo = async (path: string) => (await run(home, ['contains', path, '--root', 'project'])).out;
    expect(await answerTo('./project/../other')).toContain(`"${join(home, 'other')}"`);
    symlinkSync('/', join(home, 'project', 'link'));
    expect(await answerTo('project/link/../other')).toContain(`"${home}/project/link/../other"`);
  });

  test('says that a path is empty', async () => {
    const { out } = await run(makeHome(), ['contains', '', '--root', 'project']);
    expect(out).toBe('not in scope: Cannot locate "": the path is empty\n');
  });

  test('says that a root may only be read', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'c.json'), '{"roots":[{"path":"project","access":"read-only"}]}');
    const { out } = await run(home, ['contains', 'project', '--config', 'c.json']);
    expect(out).toMatch(/ \(config, read-only\)\n$/);
  });

  test('knows what a configuration file denies', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'c.json'), JSON.stringify({ roots: ['project'], deny: ['*.pem'] }));
    expect((await run(home, ['contains', 'project/a.pem', '--config', 'c.json'])).code).toBe(1);
    expect((await run(home, ['contains', 'project/a.txt', '--config', 'c.json'])).code).toBe(0);
  });
});
