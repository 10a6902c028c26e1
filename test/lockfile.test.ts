import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
}

interface Locked {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly engines?: { readonly node?: string };
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
) as Lockfile;

// A lockfile written where a registry lacks some of them installs on that one platform only, and stops `npm ci`.
test('the lockfile has the binaries of every platform', () => {
  const wanted = Object.values(packages).flatMap((locked) => Object.keys(locked.optionalDependencies ?? {}));
  const missing = wanted.filter(
    (name) => !Object.keys(packages).some((at) => at.endsWith(`node_modules/${name}`)),
  );
  expect(wanted).not.toEqual([]);
  expect(missing).toEqual([]);
});

test('the lockfile names no registry', () => {
  const resolved = Object.values(packages).filter(
    ({ link, resolved: from }) => from !== undefined && link !== true,
  );
  expect(resolved).toEqual([]);
});

// npm warns of each with every installation on Node 20, and the README says which.
test('the README names the packages that ask for a newer Node', () => {
  const newer = Object.entries(packages)
    .filter(([, { engines }]) => /^>=? *2[1-9]/.test(engines?.node ?? ''))
    .map(([at]) => `\`${at.replace(/^.*node_modules\//, '')}\``);
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, count = '', named = ''] = /engine of (\w+) packages \((.*?)\)/.exec(readme) ?? [];
  expect(new Set(named.split(', '))).toEqual(new Set(newer));
  expect(count).toBe(['no', 'one', 'two', 'three', 'four', 'five', 'six'][newer.length]);
});
