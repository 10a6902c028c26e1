import { expect, test } from 'vitest';
import type { Operation } from '../../../src/scope/pin/pin.js';
import { portablePlatform } from '../../../src/scope/pin/portable.js';
import { systemPlatform } from '../../../src/scope/pin/system.js';
import { scopeOf, useTree } from '../fixture.js';

const tree = useTree();
const OPERATIONS: readonly Operation[] = [
  'contains',
  'locate',
  'open',
  'readText',
  'readBytes',
  'write',
  'mkdir',
  'list',
  'stat',
  'rename',
  'copy',
  'remove',
  'walk',
];

test.runIf(process.platform === 'linux')(
  'systemPlatform() on Linux promises race-free access for every operation',
  () => {
    const platform = systemPlatform();
    for (const operation of OPERATIONS) expect(platform.guarantee(operation)).toBe('race-free');
  },
);

test('Scope.guarantee() says what its platform promises', () => {
  const scope = scopeOf(tree().inside, { platform: portablePlatform('darwin') });
  expect(scope.guarantee('open')).toBe('race-free');
  expect(scope.guarantee('rename')).toBe('best-effort');
  expect(scopeOf(tree().inside).guarantee('open')).toBe(systemPlatform().guarantee('open'));
});
