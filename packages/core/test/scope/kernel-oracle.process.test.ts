import * as fc from 'fast-check';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Scope } from '../../src/scope/scope.js';
import { platforms, rootAt } from './fixture.js';

/** Few names, so that random links and paths meet each other often. */
const name = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 2, arbitrary: fc.constantFrom('..', '.', '') },
);
const path = fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => steps.join('/'));
const place = fc.array(name, { minLength: 1, maxLength: 3 });
const entry = fc.oneof(
  fc.record({ kind: fc.constant('directory' as const), place }),
  fc.record({ kind: fc.constant('file' as const), place }),
  fc.record({ kind: fc.constant('link' as const), place, target: path, absolute: fc.boolean() }),
);

type TreeEntry = typeof entry extends fc.Arbitrary<infer Value> ? Value : never;

/** Entries that do not fit the tree so far (a file where a folder would be needed) are left out, as the disk refuses them. */
function plant(base: string, entries: readonly TreeEntry[]): void {
  for (const item of entries) {
    const at = join(base, ...item.place);
    try {
      mkdirSync(dirname(at), { recursive: true });
      if (item.kind === 'directory') mkdirSync(at, { recursive: true });
      else if (item.kind === 'file') writeFileSync(at, item.place.join('/'), { flag: 'wx' });
      else symlinkSync(item.absolute ? `${base}/${item.target}` : item.target, at);
    } catch {
      continue;
    }
  }
}

/** What the kernel itself makes of a path, asked without the scope. */
function kernelResolution(asked: string): string | undefined {
  try {
    const resolved = realpathSync.native(asked);
    const stats = statSync(asked);
    return stats.isFile() || stats.isDirectory() ? resolved : undefined;
  } catch {
    return undefined;
  }
}

describe.each(platforms)('Scope.open() and list() on the %s platform', (_, platform) => {
  test.runIf(process.platform !== 'win32')(
    'succeed exactly when the kernel resolves the path to something inside a root',
    async () => {
      let opened = 0;
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(entry, { minLength: 3, maxLength: 14 }),
          fc.uniqueArray(place, { minLength: 1, maxLength: 2, selector: (steps) => steps.join('/') }),
          fc.array(fc.record({ start: fc.nat(2), asked: path }), { minLength: 4, maxLength: 12 }),
          async (entries, rootPlaces, attempts) => {
            const base = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-oracle-'));
            try {
              plant(base, entries);
              // Where nothing else took their place, roots are folders.
              plant(
                base,
                rootPlaces.map((steps) => ({ kind: 'directory', place: steps })),
              );
              const roots = rootPlaces
                .map((steps) => join(base, ...steps))
                .filter((root) => kernelResolution(root) === root);
              const scope = new Scope({
                roots: roots.map((root) =>
                  rootAt(root, { kind: statSync(root).isFile() ? 'file' : 'directory' }),
                ),
                platform,
              });
              for (const { start, asked } of attempts) {
                const absolute = `${[base, ...roots][start] ?? base}/${asked}`;
                const resolved = kernelResolution(absolute);
                const expected = roots.some((root) => resolved === root || resolved?.startsWith(root + sep));
                const isDirectory = resolved !== undefined && statSync(resolved).isDirectory();
                const attempt = isDirectory
                  ? scope.list(absolute)
                  : scope.open(absolute).then((handle) => handle.close());
                const outcome = await attempt.then(
                  () => true,
                  () => false,
                );
                expect({ absolute, outcome }).toEqual({ absolute, outcome: expected });
                if (expected) opened++;
                else refused++;
              }
            } finally {
              rmSync(base, { recursive: true, force: true });
            }
          },
        ),
        { numRuns: Number(process.env['ROOTWARD_ORACLE_RUNS'] ?? 300) },
      );
      // A property that never sees one of the two outcomes proves nothing.
      expect(opened).toBeGreaterThan(20);
      expect(refused).toBeGreaterThan(20);
    },
  );
});
