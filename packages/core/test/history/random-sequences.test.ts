import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Scope } from '@rootward/core';
import { History } from '@rootward/core/history';
import { rootAt, temporaryFolder } from './fixtures/disk.js';
import { backAndForth, growTree, random } from './fixtures/random-changes.js';

/** The long version is `npm run soak -- history`. */
const SEQUENCES = Number(process.env['ROOTWARD_HISTORY_SEQUENCES'] ?? 60);
const FIRST_SEED = Number(process.env['ROOTWARD_HISTORY_SEED'] ?? 1);

test('undoChanges() restores any point of a random sequence byte for byte, and its undo does too', async () => {
  const top = temporaryFolder();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed++) {
    const own = join(top, String(seed), 'work');
    mkdirSync(own, { recursive: true });
    using history = new History({ directory: join(top, String(seed), 'state', 'rootward', 'history') });
    const pick = random(seed);
    growTree(own, pick);
    const scope = new Scope({ roots: [rootAt(own)] });
    let differences: unknown;
    try {
      differences = await backAndForth(history, scope, own, pick);
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
    expect({ seed, differences }).toEqual({ seed, differences: [] });
    await history.settled();
    rmSync(join(top, String(seed)), { recursive: true });
  }
});
