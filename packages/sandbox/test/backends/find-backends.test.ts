import { describe, expect, test } from 'vitest';
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

  test('refuses a backend that is not found, with what to install', async () => {
    const options = { level: 'strict', backend: 'bubblewrap', environment: { PATH: '/nowhere' } } as const;
    if (process.platform !== 'linux') return;
    await expect(openSandbox(options)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('bubblewrap: bwrap was not found on PATH'),
      instruction: expect.stringContaining('apt-get install bubblewrap'),
    });
  });

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
