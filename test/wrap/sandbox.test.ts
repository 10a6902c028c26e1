import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBackends } from '@rootward/sandbox';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { INNER, makeFolder, roots, textOf, wrap } from './fixtures/wrapped.js';

const works = (await findBackends({})).some(({ backend }) => backend !== undefined);

describe.runIf(works)('--sandbox', () => {
  test('holds the server to the roots of the client, also when they change', async () => {
    const [inside, outside] = [makeFolder('in'), makeFolder('out')];
    for (const folder of [inside, outside]) writeFileSync(join(folder, 'a.txt'), 'secret');
    const { client, connection } = await wrap([process.execPath, INNER], {
      roots: roots(inside),
      flags: ['--sandbox', 'strict'],
    });
    const read = async (folder: string): Promise<string> =>
      textOf(await client.callTool('read', { path: join(folder, 'a.txt') }));
    expect(await read(inside)).toBe('secret');
    expect(await read(outside)).toMatch(/ENOENT|EACCES/);
    expect(textOf(await client.callTool('write', { path: join(inside, 'b.txt') }))).toBe('written');
    expect(readFileSync(join(inside, 'b.txt'), 'utf8')).toBe('x');
    client.changeRoots(roots(outside));
    expect(await read(outside)).toBe('secret');
    expect(await read(inside)).toMatch(/ENOENT|EACCES/);
    await eventually(() => expect(connection.stderr()).toContain('sandbox: strict'));
  });

  test('stops the start where it cannot be had', async () => {
    const started = wrap([process.execPath, INNER], {
      flags: ['--sandbox', 'strict'],
      env: { ROOTWARD_SANDBOX_BACKENDS: 'none' },
    });
    await expect(started).rejects.toThrow('the server ended the connection');
  });
});
