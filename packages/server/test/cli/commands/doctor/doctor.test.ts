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
    expect(out).toMatch(/^ok {2}roots {2,}1 root from the command line: .*project$/m);
    expect(out).not.toMatch(/^.. {2}source/m);
    expect(out).not.toContain('What known clients give');
    expect(out).toContain('No problems found');
  });

  test('says how firm the fence is on this system', async () => {
    const { out } = await run(makeHome(), ['doctor', 'project']);
    const promised = process.platform === 'linux' ? 'race-free for every operation' : 'best-effort for ';
    expect(out).toMatch(new RegExp(`^(?:ok|--) {2}file access {2,}${promised}`, 'm'));
  });

  test('--verbose adds every source, and what known clients give', async () => {
    const { out } = await run(makeHome(), ['doctor', 'project', '--verbose']);
    expect(out).toMatch(/^ok {2}source flag {2,}an argument names/m);
    expect(out).toMatch(/^-- {2}source env {2,}.*\(absent\)$/m);
    expect(out).toContain('What known clients give');
  });

  test('tells one cause once, first, and with the file to edit', async () => {
    const home = makeHome();
    const file = join(home, 'rootward.json');
    writeFileSync(file, '{"roots":["gone"]}');
    const { code, out } = await run(home, ['doctor', '--config', file]);
    expect(code).toBe(1);
    expect(out).toMatch(/^!! {2}source config .*gone" as a root: it does not exist$/m);
    expect(out.split('\n')[1]).toMatch(/^ +fix: /);
    expect(out).toContain(`fix: Correct "roots" in ${file}\n`);
    expect(out.match(/^!!/gm)).toHaveLength(1);
    expect(out).toContain('1 problem, with its fix above');
  });

  test.runIf(process.platform !== 'win32')('--deep starts the language servers it finds', async () => {
    const home = makeHome();
    const start = (command: string) => {
      const servers = { broken: { command, extensions: { '.broken': 'broken' }, language: 'Broken' } };
      writeFileSync(join(home, 'rootward.json'), JSON.stringify({ languageServers: servers }));
      return run(home, ['doctor', 'project', '--deep', '--config', 'rootward.json'], { PATH: '' });
    };
    // Ends at once, so it never answers.
    const { code, out } = await start('/bin/false');
    expect(out).toMatch(/^!! {2}language servers {2}Cannot /m);
    expect(code).toBe(1);
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
    expect(problems.map(({ topic }) => topic)).toEqual(['source host', 'environment', 'workspace rules']);
    expect(problems.every(({ fix }) => fix !== undefined)).toBe(true);
    expect(problems[0]?.fix).toContain('CLAUDE_PROJECT_DIR');
    expect(problems[2]?.fix).toContain(join(home, 'project', '.rootward.json'));
  });

  test('finds no fault with a shell that stands in the home directory', async () => {
    const home = makeHome();
    const { code, out } = await run(home, ['doctor', 'project', '--verbose'], { PWD: home });
    expect(out).toMatch(/^-- {2}source cwd {2,}the process directory is unusable .*\(not-needed\)$/m);
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
