import { readSources } from '@rootward/core';
import { expect, test } from 'vitest';
import { readinessLine } from '../../src/serve/readiness.js';

const MISSING = {
  environment: {},
  home: '/nowhere/home',
  config: [{ file: '/nowhere/rootward.json', roots: ['missing'] }],
};

test.each([
  [false, 'roots from the client; none of the folders that were named can be used'],
  // Over HTTP, where clients stay within what the operator named.
  [true, 'no roots: none of the folders that were named can be used'],
])('the line says that no folder that was named can be used (a ceiling: %s)', async (isCeiling, said) => {
  const sources = await readSources({ ...MISSING, operatorRootsAreCeiling: isCeiling });
  expect(readinessLine('here', sources)).toMatch(new RegExp(`ready on here: ${said}\n$`));
});

test('the line says that roots come from the client where nobody named any', async () => {
  const sources = await readSources({ environment: {}, home: '/nowhere/home' });
  expect(readinessLine('here', sources)).toMatch(/ready on here: roots from the client\n$/);
});
