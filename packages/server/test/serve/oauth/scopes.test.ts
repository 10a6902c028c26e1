import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { accessOf, SCOPES, type Access } from '../../../src/serve/oauth/scopes.js';

const ALL = ['workspace', 'files', 'code', 'project', 'exec'];
const READABLE = ['workspace', 'files', 'code', 'project'];

/** One entry for each tool that changes something, and for each that does not. */
function allowed(scopes: readonly string[]): ReadonlySet<string> {
  const { toolsets = [], reads = [] } = accessOf(scopes) ?? {};
  return new Set([
    ...toolsets.flatMap((name) => [`${name} change`, `${name} read`]),
    ...reads.map((name) => `${name} read`),
  ]);
}

test('scopes add up, and allow the same however they are written', () => {
  const cases: Readonly<Record<string, Access | undefined>> = {
    'rootward rootward:read': { toolsets: ALL, reads: [] } as Access,
    'rootward:read openid': { toolsets: [], reads: READABLE } as Access,
    'rootward:code rootward:files': { toolsets: ['files', 'code'], reads: [] },
    'rootward:files rootward:read': { toolsets: ['files'], reads: ['workspace', 'code', 'project'] },
    'rootward:files rootward:files:read': { toolsets: ['files'], reads: [] },
    'rootward:code:read rootward:exec': { toolsets: ['exec'], reads: ['code'] },
    'rootward:unknown ': undefined,
    // Nothing makes an executable keep its word that it changes nothing.
    'rootward:exec:read': undefined,
  };
  for (const [scope, access] of Object.entries(cases)) {
    expect([scope, accessOf(scope.split(' '))]).toEqual([scope, access]);
  }
  expect(accessOf(ALL.map((name) => `rootward:${name}`))).toEqual(accessOf(['rootward']));
});

test('accessOf() never takes away with a further scope, and never adds what none of them allows', () => {
  const some = fc.subarray([...SCOPES, 'openid']);
  fc.assert(
    fc.property(some, some, (one, other) => {
      expect(allowed([...one, ...other])).toEqual(new Set([...allowed(one), ...allowed(other)]));
    }),
  );
});
