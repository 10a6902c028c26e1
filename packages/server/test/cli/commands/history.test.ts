import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../../fixtures/command-line.js';

const makeHome = makeHomes();

describe('rootward history', () => {
  test.each([[['project']], [['./project', '.']], [['--root', 'project']]])(
    'takes folders: %j',
    async (words) => {
      const home = makeHome();
      const { code, out } = await run(home, ['history', ...words]);
      expect(code).toBe(0);
      expect(out).toMatch(`No changes in ${join(home, 'project')}`);
      const { out: selected } = await run(home, ['history', ...words, '--since', '1h']);
      expect(selected).toMatch(`No such changes in ${join(home, 'project')}`);
    },
  );

  test.each([
    [['shwo'], 'Cannot use "shwo": it is not a folder; did you mean "show"?'],
    [['nowhere'], 'Cannot use "nowhere": it is not a folder; expected a folder, show ID or prune'],
    [['show'], 'Cannot show a change: write its id, as in history show ID'],
    [['project', 'nowhere'], 'Cannot use "nowhere" as a root: it does not exist (given by an argument)'],
  ])('%j: %s', async (words, message) => {
    const { code, err } = await run(makeHome(), ['history', ...words]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('rootward undo', () => {
  test('takes folders, with or without an id', async () => {
    const home = makeHome();
    const since = await run(home, ['undo', 'project', '--since', '1h']);
    expect(since).toMatchObject({ code: 0, out: `Nothing to undo in ${join(home, 'project')}\n` });
    const { code, err } = await run(home, ['undo', 'none', 'project']);
    expect([code, err]).toEqual([2, expect.stringContaining('Cannot undo "none": there is no such change')]);
    const unsaid = await run(home, ['undo', 'project']);
    expect([unsaid.code, unsaid.err]).toEqual([2, expect.stringContaining('name a change by its id')]);
  });
});

describe('A path that begins with a dot', () => {
  test.each([
    [['roots', '--within', './nope'], 'nope'],
    [['roots', '--config', './/./nope.json'], 'nope.json'],
    [['roots', '--config', '.'], ''],
    [['validate', '.'], ''],
  ])('is shown without it: %j', async (words, name) => {
    const home = makeHome();
    const { code, err } = await run(home, words);
    expect(code).toBe(2);
    expect(err).toContain(join(home, name));
    expect(err).not.toContain(`${home}/.`);
  });
});
