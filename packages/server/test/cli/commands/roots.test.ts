import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../../fixtures/command-line.js';

const makeHome = makeHomes();

describe('rootward roots', () => {
  test('says which roots there are, and why', async () => {
    const { code, out } = await run(makeHome(), ['roots', 'project']);
    expect(code).toBe(0);
    expect(out).toMatch(/1 root from the command line: .*project/);
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

  test('has a help without what matters to a server only, and accepts that all the same', async () => {
    const home = makeHome();
    const shown = async (command: string): Promise<readonly string[]> => {
      const { out } = await run(home, [command, '--help']);
      const [options = ''] = out.split('Examples:');
      return [...options.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = '']) => flag);
    };
    const common = '--root --within --client-roots --read-only --project --writable-project --config'.split(
      ' ',
    );
    for (const command of ['roots', 'contains'])
      expect((await shown(command)).toSorted()).toEqual(
        [...common, '--log-level', '--json', '--help'].sort(),
      );
    expect(await shown('sandbox')).toEqual(expect.arrayContaining([...common, '--sandbox-backend']));
    expect(await shown('sandbox')).not.toContain('--http');
    expect(await shown('validate')).toContain('--host');
    const served = ['--http', '--ui', '--audit', 'audit.jsonl', '--telemetry-paths', '--toolsets', 'files'];
    expect(await run(home, ['roots', 'project', ...served])).toMatchObject({ code: 0, err: '' });
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
    expect(out).toMatch(/^1 root from the command line: .*project \(read-only\)\n/);
  });
});
