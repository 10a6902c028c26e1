import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { discoverTools } from '../../../src/exec/catalogue/discover-tools.js';
import { findWritableByOthers } from '../../../src/exec/project/writable-by-others.js';
import { makeTree } from '../../fixtures/temp-tree.js';

test.runIf(process.platform !== 'win32')(
  'findWritableByOthers() names folders and executables that every user can change',
  async () => {
    const tree = makeTree({ 'tools/hello.sh': '#!/bin/sh\n# mcp: {"description": "hello"}\n' });
    const file = tree.path('tools/hello.sh');
    chmodSync(file, 0o755);
    chmodSync(dirname(file), 0o755);
    const find = async (): Promise<readonly string[]> =>
      findWritableByOthers(tree.top, await discoverTools(tree.top));
    expect(await find()).toEqual([]);
    chmodSync(dirname(file), 0o777);
    expect(await find()).toEqual([dirname(file)]);
    chmodSync(file, 0o757);
    expect(await find()).toEqual([dirname(file), file]);
  },
);
