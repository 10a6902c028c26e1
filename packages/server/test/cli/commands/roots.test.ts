import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../../fixtures/command-line.js';

const makeHome = makeHomes();

describe('rootward roots', () => {
  test('says which roots there are, and why', async () => {
    const { code, out } = await run(makeHome(), ['roots', 'project']);
    expect(code).toBe(0);
    expect(out).toMatch(/1 root from flag: .*project/);
  });

  test.each([
    [['missing'], 'an argument'],
    [['--root', 'missing'], '--root'],
    [['project', '--root', 'missing'], 'an argument or --root'],
  ])('%j is refused with what it was given by', async (args, origin) => {
    const { code, err } = await run(makeHome(), ['roots', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(`it does not exist (given by ${origin})`);
  });

  test('has a help without what matters to a server only', async () => {
    const home = makeHome();
    for (const command of ['roots', 'contains']) {
      const { out } = await run(home, [command, '--help']);
      expect(out).toContain('--within');
      expect(out).not.toMatch(/--host|--token|HTTP:/);
    }
    expect((await run(home, ['doctor', '--help'])).out).toContain('--host');
  });

  test('prints JSON', async () => {
    const home = makeHome();
    // The home directory, where this runs, is too broad for a hint.
    const { out } = await run(home, ['roots', '--json'], { PWD: join(home, 'project') });
    expect(JSON.parse(out)).toMatchObject({
      roots: [{ path: join(home, 'project'), source: 'cwd' }],
      rejected: [{ source: 'cwd', reason: 'too-broad' }],
      trace: expect.arrayContaining([expect.objectContaining({ source: 'cwd', verdict: 'used' })]),
    });
  });

  test('says what --read-only and the rules of a root leave of their access', async () => {
    const home = makeHome();
    mkdirSync(join(home, 'kept'));
    writeFileSync(join(home, 'kept/.rootward.json'), '{"readOnly":true}');
    const listed = await run(home, ['roots', 'project', 'kept', '--json']);
    expect(JSON.parse(listed.out)).toMatchObject({
      roots: [{ access: 'read-write' }, { access: 'read-only' }],
    });
    const { out } = await run(home, ['roots', 'project', '--read-only']);
    expect(out).toMatch(/^1 root from flag: .*project \(read-only\)\n/);
  });
});
