import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findBackends, readBackendNames } from '../../src/backends/find-backends.js';
import { chooseBackend, openSandbox } from '../../src/open-sandbox.js';

describe('readBackendNames()', () => {
  test('reads names, none and nothing', () => {
    expect(readBackendNames(undefined)).toBeUndefined();
    expect(readBackendNames('')).toBeUndefined();
    expect(() => readBackendNames(' ')).toThrow('"" is not one of');
    expect(readBackendNames('none')).toEqual([]);
    expect(readBackendNames('landlock, bubblewrap')).toEqual(['landlock', 'bubblewrap']);
  });

  test('refuses a name it does not know', () => {
    expect(() => readBackendNames('docker')).toThrow('"docker" is not one of bubblewrap, landlock, seatbelt');
  });
});

describe('openSandbox()', () => {
  const hidden = { backends: [] };

  test('is nothing at level off, and at auto where no backend works', async () => {
    expect(await openSandbox({ level: 'off' })).toBeUndefined();
    expect(await openSandbox({ level: 'auto', ...hidden })).toBeUndefined();
  });

  test.each(['write', 'strict'] as const)(
    'refuses level %s where no backend works, with the reasons',
    async (level) => {
      await expect(openSandbox({ level, ...hidden })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(
          `Cannot provide the sandbox level ${level}: no backend works (bubblewrap:`,
        ),
      });
    },
  );

  test.runIf(process.platform === 'linux')(
    'runs no bwrap of a folder that may become a root, and says that it was skipped',
    async () => {
      const bin = mkdtempSync(join(tmpdir(), 'rootward-backends-'));
      onTestFinished(() => rmSync(bin, { recursive: true }));
      const marker = join(bin, 'marker');
      writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\necho >${marker}\n`, { mode: 0o755 });
      const environment = { PATH: `${bin}:${process.env['PATH']}` };
      const [bubblewrap] = await findBackends({ environment });
      expect(existsSync(marker)).toBe(false);
      const said = bubblewrap?.backend?.detail ?? (bubblewrap as { reason?: string }).reason;
      expect(said).toContain(`skipped ${join(bin, 'bwrap')}: it is not a program of the system`);
      spawnSync('bwrap', { env: environment });
      expect(existsSync(marker), 'it would run, and without the search it did').toBe(true);
    },
  );

  test('refuses guarantee full where only contents is there', async () => {
    const findings = await findBackends({ backends: ['landlock'] });
    expect(chooseBackend(findings, { require: 'full' })).toBeUndefined();
    await expect(openSandbox({ level: 'strict', require: 'full', backends: ['landlock'] })).rejects.toThrow(
      'level strict with guarantee full',
    );
  });

  test('reads ROOTWARD_SANDBOX_BACKENDS', async () => {
    const environment = { PATH: process.env['PATH'], ROOTWARD_SANDBOX_BACKENDS: 'none' };
    await expect(openSandbox({ level: 'strict', environment })).rejects.toThrow('ROOTWARD_SANDBOX_BACKENDS');
  });
});
