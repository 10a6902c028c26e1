import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import type { SandboxProfile, WantedLevel } from '@rootward/sandbox';
import type { SandboxGrant, SandboxSettings } from '../settings/values/sandbox-settings.js';

/** The level of a program: what the operator says about it, else about all, else what its kind has. Pure. */
export function levelOf(settings: SandboxSettings, program: string, usual: WantedLevel): WantedLevel {
  return settings.programs?.[program]?.level ?? settings.level ?? usual;
}

/** What a program gets beside the roots: what the operator gives it, and of its wishes those that are allowed. Pure. */
export function profileOf(
  settings: SandboxSettings,
  program: string,
  wishes: SandboxGrant = {},
  home: string = homedir(),
): SandboxProfile {
  const own = settings.programs?.[program] ?? {};
  const allow = settings.allow ?? {};
  const granted = (wanted: readonly string[] = [], allowed: readonly string[] = []): readonly string[] =>
    wanted.map((path) => expanded(path, home)).filter((path) => allowed.some((top) => isInside(path, top)));
  return {
    network: settings.network || own.network === true || (wishes.network === true && allow.network === true),
    read: [
      ...(settings.read ?? []),
      ...(own.read ?? []),
      ...granted(wishes.read, [...(allow.read ?? []), ...(allow.write ?? [])]),
    ],
    write: [...(settings.write ?? []), ...(own.write ?? []), ...granted(wishes.write, allow.write)],
  };
}

function expanded(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

/** By text: `..` in a wish is refused, since it could lead out. */
function isInside(path: string, folder: string): boolean {
  if (path.split(sep).includes('..')) return false;
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
