import { expect, test } from 'vitest';
import { describePrincipal, ownerOf } from '../../src/context/principal.js';

const token = (clientId: string, extra?: Readonly<Record<string, unknown>>): string =>
  ownerOf(describePrincipal({ clientId, extra }));

test('ownerOf() is the same whatever a token allows, and another for each client and subject', () => {
  const owner = token('client', { sub: 'someone' });
  expect(token('client', { sub: 'someone', access: 'all' })).toBe(owner);
  expect(token('client', { sub: 'someone', access: 'less' })).toBe(owner);
  const others = [
    token('client'),
    token('client', { access: 'all' }),
    token('client', { sub: '' }),
    token('client', { sub: 'other' }),
    token('other', { sub: 'someone' }),
    token('client","someone'),
    ownerOf(describePrincipal(undefined)),
  ];
  expect(others).not.toContain(owner);
  expect(new Set(others).size).toBe(others.length - 1);
});

test('ownerOf() of a token that says nothing of what it allows is its principal', () => {
  for (const info of [undefined, { clientId: 'client' }, { clientId: 'client', extra: { sub: 'someone' } }]) {
    expect(ownerOf(describePrincipal(info))).toBe(describePrincipal(info));
  }
});
