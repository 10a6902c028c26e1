import * as fc from 'fast-check';
import { sep } from 'node:path';
import { expect, test } from 'vitest';
import { PathIndex } from '../../../src/scope/gate/path-index.js';

const path = fc
  .array(fc.constantFrom('a', 'b', 'ab'), { maxLength: 4 })
  .map((names) => `${sep}${names.join(sep)}`);
const step = fc.record({ path, isNew: fc.boolean() });

test('PathIndex.above() gives the folders above a path, deepest first, whatever was asked before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const index = new PathIndex<string>();
      const known = new Set<string>();
      for (const { path: asked, isNew } of steps) {
        if (isNew) {
          index.set(asked, asked);
          known.add(asked);
        }
        const names = asked.split(sep).filter(Boolean);
        const above = names.map((_, count) => `${sep}${names.slice(0, count).join(sep)}`).toReversed();
        expect(index.above(asked)).toEqual(above.filter((folder) => known.has(folder)));
      }
    }),
  );
});
