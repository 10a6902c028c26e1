import { describe, expect, test } from 'vitest';
import { levelOf, profileOf } from '../../src/sandbox/program-profile.js';
import type { SandboxSettings } from '../../src/settings/values/sandbox-settings.js';

const PLAIN: SandboxSettings = { level: undefined, require: undefined, backend: undefined, network: false };

describe('levelOf()', () => {
  test('is that of the program, else that of all, else the usual one', () => {
    expect(levelOf(PLAIN, 'a', 'auto')).toBe('auto');
    expect(levelOf({ ...PLAIN, level: 'strict' }, 'a', 'off')).toBe('strict');
    expect(levelOf({ ...PLAIN, level: 'strict', programs: { a: { level: 'off' } } }, 'a', 'auto')).toBe(
      'off',
    );
  });
});

describe('profileOf()', () => {
  const settings: SandboxSettings = {
    ...PLAIN,
    read: ['/all'],
    allow: { network: true, read: ['/data'], write: ['/cache'] },
    programs: { a: { write: ['/a'] } },
  };

  test('adds what is for all and what is for the program', () => {
    expect(profileOf(settings, 'a')).toEqual({ network: false, read: ['/all'], write: ['/a'] });
  });

  test('grants wishes that are allowed, and no others', () => {
    const wishes = {
      network: true,
      read: ['/data/x', '/etc', '/data/../etc', '/database'],
      write: ['/cache', '/data'],
    };
    expect(profileOf(settings, 'b', wishes)).toEqual({
      network: true,
      read: ['/all', '/data/x'],
      write: ['/cache'],
    });
    expect(profileOf(PLAIN, 'b', wishes)).toEqual({ network: false, read: [], write: [] });
  });

  test('expands the home directory in wishes', () => {
    const allow = { read: ['/home/ada/data'] };
    expect(profileOf({ ...PLAIN, allow }, 'b', { read: ['~/data'] }, '/home/ada').read).toEqual([
      '/home/ada/data',
    ]);
  });
});
