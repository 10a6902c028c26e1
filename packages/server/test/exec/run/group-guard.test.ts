import { existsSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { GroupGuard } from '../../../src/exec/run/group-guard.js';
import { eventually } from '../../../../../testing/eventually.js';

const top = mkdtempSync(join(tmpdir(), 'rootward-guard-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
/** More than Linux ever gives, so that nobody is killed. */
const NOBODYS_GROUP = 4_999_999;

describe.runIf(process.platform !== 'win32')('GroupGuard', () => {
  test('removes its folders in the end', async () => {
    const folders = [mkdtempSync(join(top, 'one-')), mkdtempSync(join(top, 'two-'))] as const;
    new GroupGuard(folders[0], [folders[1]]).dispose();
    await eventually(() => expect(folders.filter((folder) => existsSync(folder))).toEqual([]));
  });

  test('writes nothing once disposed of: its descriptor may be that of another file', () => {
    const guard = new GroupGuard(mkdtempSync(join(top, 'disposed-')));
    guard.watch(NOBODYS_GROUP);
    guard.dispose();
    const path = join(top, 'other');
    // The lowest numbers are given first: the guard's is among them.
    const others = Array.from({ length: 32 }, (_, index) => openSync(`${path}-${index}`, 'w'));
    guard.forget(NOBODYS_GROUP);
    guard.watch(NOBODYS_GROUP);
    for (const other of others) closeSync(other);
    for (const index of others.keys()) expect(readFileSync(`${path}-${index}`, 'utf8')).toBe('');
  });
});
