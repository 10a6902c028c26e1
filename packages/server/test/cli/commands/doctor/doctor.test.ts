import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../../../fixtures/command-line.js';

const makeHome = makeHomes();

describe('rootward doctor', () => {
  test('is content where there is a root', async () => {
    const home = makeHome();
    const { code, out } = await run(home, ['doctor', 'project'], { CLAUDECODE: '1' });
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {2}host {2,}Claude Code/m);
    expect(out).toMatch(/^ok {2}source flag {2,}--root names/m);
    expect(out).toContain('No problems found');
  });

  test('says where decisions go, or why they cannot', async () => {
    const home = makeHome();
    const audited = (file: string) => run(home, ['doctor', 'project', '--audit', file]);
    expect(await audited('audit.jsonl')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ok {2}audit /m),
    });
    expect(existsSync(join(home, 'audit.jsonl'))).toBe(false);
    expect(await audited('missing/x')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^!! {2}audit /m),
    });
  });

  test('exits with 1 and tells the fix for every problem', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'project', '.rootward.json'), '{"roots":["/"]}');
    const { code, out } = await run(home, ['doctor', '--json', 'project'], {
      ROOTWARD_ROOT: '/x',
      // oxlint-disable-next-line no-template-curly-in-string -- as a host that does not expand it passes it on
      CLAUDE_PROJECT_DIR: '${workspaceFolder}',
    });
    expect(code).toBe(1);
    const { findings } = JSON.parse(out) as { findings: { topic: string; state: string; fix?: string }[] };
    const problems = findings.filter(({ state }) => state === 'problem');
    expect(problems.map(({ topic }) => topic)).toEqual(['environment', 'source host', 'workspace rules']);
    expect(problems.every(({ fix }) => fix !== undefined)).toBe(true);
  });

  test('finds no fault with a shell that stands in the home directory', async () => {
    const home = makeHome();
    const { code, out } = await run(home, ['doctor', 'project'], { PWD: home });
    expect(out).toMatch(/^-- {2}source cwd {2,}Cannot use .* a whole disk or home directory/m);
    expect(out).toContain('No problems found');
    expect(code).toBe(0);
  });

  test.each([
    [['doctor', 'missing'], {}, 'missing'],
    [['doctor'], { ROOTWARD_ROOTS: '/no/such/root' }, '/no/such/root'],
    [['doctor'], { ROOTWARD_ROOTS: ':' }, 'ROOTWARD_ROOTS'],
    [['doctor', 'project', '--within', 'missing'], {}, 'missing'],
  ])('%j with %j tells why no server starts, and all the rest', async (args, environment, named) => {
    const { code, out } = await run(makeHome(), args, environment);
    expect(code).toBe(1);
    expect(out).toContain(named);
    expect(out).toContain('Correct or remove it');
    expect(out).toContain('ripgrep');
  });

  test('finds it a problem to have no roots', async () => {
    expect(await run(makeHome(), ['doctor'])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^!! {2}roots {2,}none/m),
    });
  });
});
