import * as fc from 'fast-check';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { ScopeRules } from '../../src/scope/gate/rules.js';
import { Scope } from '../../src/scope/scope.js';
import { resolveSnapshot } from '../../src/snapshot/resolve-snapshot.js';
import { readSources } from '../../src/sources/read-sources.js';
import { viewSnapshot } from '../../src/workspace/workspace-view.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-narrowing-')));
afterAll(() => rmSync(top, { recursive: true }));

/** A home directory with two projects, one of them with a repository inside a repository. */
const FILES = [
  'home/.ssh/id_rsa',
  'home/.npmrc',
  'home/.env',
  'home/notes.txt',
  'home/app/.git/HEAD',
  'home/app/.git/config',
  'home/app/.env',
  'home/app/.mcp.json',
  'home/app/a.txt',
  'home/app/config/private/key.txt',
  'home/app/config/b.txt',
  'home/app/inner/.git/HEAD',
  'home/app/inner/c.txt',
  'home/app/inner/private/d.key',
  'home/other/config/private/key.txt',
  'home/other/e.txt',
  'elsewhere/f.txt',
];
for (const file of FILES) {
  mkdirSync(dirname(join(top, file)), { recursive: true });
  writeFileSync(join(top, file), '');
}

const FOLDERS = [
  '.',
  ...new Set(
    FILES.flatMap((file) => {
      const parts = file.split('/').slice(0, -1);
      return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    }),
  ),
];
const PATHS = [...FOLDERS, ...FILES];
const absolute = (path: string): string => join(top, path);

const folder = fc.constantFrom(...FOLDERS);
const place = fc.constantFrom(...PATHS);
const access = fc.constantFrom('read-only' as const, 'read-write' as const);
const pattern = fc.constantFrom(
  'private',
  'config/private',
  '*.key',
  'a.txt',
  'app/config',
  'inner/**',
  '.e*',
);
const inFolder = fc.tuple(
  folder,
  fc.record({ deny: fc.array(pattern, { maxLength: 2 }), readOnly: fc.boolean() }),
);

const setups = fc.record({
  named: fc.array(fc.record({ path: place, access }), { maxLength: 3 }),
  within: fc.array(folder, { maxLength: 2 }),
  rules: fc.record({
    deny: fc.array(pattern, { maxLength: 2 }),
    denyAbsolute: fc.array(place.map(absolute), { maxLength: 1 }),
    readOnly: fc.boolean(),
    protect: fc.array(place.map(absolute), { maxLength: 1 }),
    inFolder: fc
      .array(inFolder, { maxLength: 2 })
      .map((entries) => new Map(entries.map(([path, own]) => [absolute(path), own]))),
  }),
  files: fc.array(inFolder, { maxLength: 3 }),
  broken: fc.option(folder, { nil: undefined, freq: 4 }),
  client: fc.array(place, { minLength: 1, maxLength: 3 }),
  mode: fc.constantFrom('replace' as const, 'add' as const),
});

interface Allowed {
  readonly read: boolean;
  readonly change: boolean;
}

function allowedOn(scope: Scope, path: string): Allowed {
  if (!scope.contains(path)) return { read: false, change: false };
  return { read: true, change: scope.locate(path).writable };
}

test('no choice of roots gives a client more than the roots of the operator do', async () => {
  await fc.assert(
    fc.asyncProperty(setups, async ({ named, within, rules, files, broken, client, mode }) => {
      const written = new Map(files.map(([path, own]) => [path, JSON.stringify(own)]));
      if (broken !== undefined) written.set(broken, '{ "deny": [');
      for (const [path, text] of written) writeFileSync(join(top, path, '.rootward.json'), text);
      try {
        const sources = await readSources({
          environment: {},
          home: absolute('home'),
          clientRoots: mode,
          config: [{ file: join(top, 'rootward.json'), roots: named }],
          ...(within.length > 0 && { within: within.map(absolute) }),
        });
        const createScope = ({ roots }: { roots: Scope['roots'] }): Scope =>
          new Scope({ roots, rules: rules satisfies ScopeRules });
        const snapshotOf = (facts: Parameters<typeof resolveSnapshot>[1]) =>
          resolveSnapshot(sources, facts, { now: 0 });
        const own = await snapshotOf({ declaresRoots: false });
        const answer = {
          result: { roots: client.map((path) => ({ uri: pathToFileURL(absolute(path)).href })) },
        };
        const chosen = await snapshotOf({ declaresRoots: true, answer });
        const [mine, theirs] = [own, chosen].map((snapshot) => viewSnapshot(snapshot, createScope).scope());
        const ownPlaces = own.roots.map((root) => root.path);
        for (const path of PATHS.map(absolute)) {
          const inOwn = ownPlaces.some((root) => path === root || path.startsWith(`${root}/`));
          const given = allowedOn(theirs!, path);
          const isBeyond =
            within.length > 0 &&
            !within.map(absolute).some((limit) => path === limit || path.startsWith(`${limit}/`));
          if (!inOwn && !isBeyond) continue;
          const had = allowedOn(mine!, path);
          expect({ path, ...given }).toEqual({
            path,
            read: given.read && had.read,
            change: given.change && had.change,
          });
        }
      } finally {
        for (const path of written.keys()) rmSync(join(top, path, '.rootward.json'));
      }
    }),
    { numRuns: 150 },
  );
});
