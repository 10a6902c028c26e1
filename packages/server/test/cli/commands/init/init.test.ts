import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../../../fixtures/command-line.js';

const makeHome = makeHomes();

describe('rootward init', () => {
  test('writes a file that is valid and used from then on, and never replaces one', async () => {
    const home = makeHome();
    const file = join(home, '.config', 'rootward', 'rootward.json');
    const { code, out } = await run(home, ['init']);
    expect(code).toBe(0);
    // Where it writes is said before it does.
    expect(out.split('\n')).toMatchObject([
      expect.stringContaining(`Writing ${file}`),
      expect.stringContaining(`Wrote ${file}`),
      expect.any(String),
      '',
    ]);
    expect((await run(home, ['doctor', 'project'])).out).toContain(`${file} is in force`);
    writeFileSync(file, '{}');
    expect((await run(home, ['init'])).code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  test('says where it writes before it does', async () => {
    const home = makeHome();
    const first = async (...args: string[]) => (await run(home, ['init', ...args])).out.split('\n')[0];
    expect(await first('./project/../here')).toContain(`Writing ${join(home, 'here', 'rootward.json')}`);
    expect(await first('--tools', './project/../tools')).toContain(
      `Writing a tools project to ${join(home, 'tools')};`,
    );
  });

  test('says what is in the way', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'file'), '');
    for (const args of [
      ['init', 'file/folder'],
      ['init', '--tools', 'file/folder'],
    ]) {
      const { code, err } = await run(home, args);
      expect(code).toBe(1);
      expect(err).toMatch(/^rootward: Cannot use .*file\/folder.*: a file is where a folder should be\n$/);
    }
  });

  test('prints what it wrote and what it left alone as JSON', async () => {
    const home = makeHome();
    const file = join(home, 'project', 'rootward.json');
    const [first, second] = [
      await run(home, ['init', 'project', '--json']),
      await run(home, ['init', 'project', '--json']),
    ];
    expect([first.code, JSON.parse(first.out)]).toEqual([0, { written: [file], kept: [] }]);
    expect([second.code, JSON.parse(second.out)]).toEqual([1, { written: [], kept: [file] }]);
  });

  // Node's own way to make folders never comes back from there.
  test.runIf(existsSync('/proc/self'))('ends where no folder can be made', async () => {
    expect((await run(makeHome(), ['init', '/proc/none/here'])).code).toBe(1);
  });

  test('writes to the folder that is named', async () => {
    const home = makeHome();
    await run(home, ['init', 'project']);
    expect(existsSync(join(home, 'project', 'rootward.json'))).toBe(true);
    const { out } = await run(home, ['init', 'my project']);
    expect(out).toContain(`--config '${join(home, 'my project', 'rootward.json')}'\n`);
  });
});
