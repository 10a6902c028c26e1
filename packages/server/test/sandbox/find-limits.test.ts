import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readPathRoots, Scope, STEERING_PATHS } from '@rootward/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLimits } from '../../src/sandbox/find-limits.js';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-limits-')));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test('findLimits() fixes every file that steers the fence, and leaves the others alone', async () => {
  expect(STEERING_PATHS).toContain('.claude.json');
  for (const name of [...STEERING_PATHS, 'README.md', 'tools/hello']) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), '{}');
  }
  const { roots } = await readPathRoots([{ path: root }], { source: 'flag', home: '/nowhere' });
  const { fixed } = await findLimits(new Scope({ roots }), { denies: false, protect: [] });
  expect(fixed.toSorted()).toEqual(STEERING_PATHS.map((name) => join(root, name)).toSorted());
});
