import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ProjectSettingsStore } from '../../../src/guidance/settings-store.js';
import { makeHomes, run as runIn } from '../../fixtures/command-line.js';

const nextHome = makeHomes();

function makeHome() {
  const home = nextHome();
  mkdirSync(`${home}/app`);
  const store = new ProjectSettingsStore(`${home}/.config/rootward`);
  const run = (...args: readonly string[]) => runIn(home, args);
  return { home, store, run };
}

describe('rootward settings', () => {
  test('shows where settings would be, and writes none', async () => {
    const { run, store } = makeHome();
    const { code, out } = await run('settings', 'app');
    expect(code).toBe(0);
    expect(out).toMatch(/projects\/app-[\da-f]{8}\.json\nnothing is kept\n$/);
    expect(existsSync(store.directory)).toBe(false);
  });

  test('adds what it is told to what is there', async () => {
    const { run } = makeHome();
    await run('settings', 'app', '--deny', '*.key', 'private');
    await run('settings', 'app', '--deny', '*.key', '--category', 'house=docs/house rules');
    const { out } = await run('settings', 'app', '--read-only');
    expect(JSON.parse(out.slice(out.indexOf('\n')))).toEqual({
      deny: ['*.key', 'private'],
      readOnly: true,
      categories: { house: { dir: 'docs/house rules' } },
    });
    expect((await run('settings', 'app')).out).toBe(out);
  });

  test.each([
    [['settings', 'missing'], 'it does not exist'],
    [['settings', 'app', '--category', 'house'], 'expected NAME=FOLDER'],
    [['settings', 'app', '--category', 'house=../..'], 'it must lie inside the project'],
    [['settings', 'app', '--deny', '[z-a]'], '[z-a]'],
  ])('%j exits with 2 and says why', async (args, message) => {
    const { code, err } = await makeHome().run(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('a broken file is named, by doctor too, and left alone', async () => {
    const { home, run, store } = makeHome();
    const file = (await run('settings', 'app')).out.split('\n')[0]!;
    mkdirSync(store.directory, { recursive: true });
    writeFileSync(file, '{ "roots": ["/"] }');
    expect(await run('settings', 'app', '--read-only')).toMatchObject({
      code: 2,
      err: expect.stringContaining(file),
    });
    expect(await run('settings', 'app')).toMatchObject({ code: 2, err: expect.stringContaining('"roots"') });
    writeFileSync(`${home}/app/.rootward.json`, '{ "tools": {} }');
    const doctor = await run('doctor', 'app', '--json');
    const { findings } = JSON.parse(doctor.out) as { findings: { topic: string; detail: string }[] };
    expect(findings.filter(({ topic }) => topic === 'workspace rules').map(({ detail }) => detail)).toEqual([
      expect.stringContaining(`${home}/app/.rootward.json has a problem`),
      expect.stringContaining(`${file} has a problem`),
    ]);
    expect(doctor.code).toBe(1);
  });
});
