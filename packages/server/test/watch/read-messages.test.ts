import { describe, expect, test } from 'vitest';
import { PROTOCOL } from '../../src/watch/protocol.js';
import { isProcessState, readEvents } from '../../src/watch/read-messages.js';

const session = {
  id: 's',
  era: 'legacy',
  client: 'c 1',
  clientState: 'answered',
  since: 1,
  rootCount: 1,
  roots: [{ path: '/a', name: 'a', access: 'read-write', source: 'client', broad: false }],
  trace: [{ source: 'client', verdict: 'used', detail: 'd' }],
  rejected: [],
  callers: [{ agent: '', named: true, directory: '/a', known: 'agent', others: [], last: 1 }],
  trees: [{ path: '/a', branch: 'main', linked: false }],
};
const child = { pid: 8, command: 'x', kind: 'tool', name: 'x', sandbox: 'off', lastLines: ['l'] };
const state = {
  protocol: PROTOCOL,
  pid: 7,
  version: '1',
  started: 1,
  transport: 'stdio',
  directory: '/a',
  caveat: '',
  sessions: [session],
  sessionCount: 1,
  limits: [{ path: '/a', limit: 'revoked' }],
  children: [child],
  questions: [{ id: 'q', message: 'm', since: 1, canStand: true }],
  consents: [{ id: 'c', message: 'm', path: '/work', since: 1 }],
};

describe('isProcessState()', () => {
  test('knows a state', () => {
    expect(isProcessState(state)).toBe(true);
  });

  test.each([
    null,
    [],
    {},
    { ...state, protocol: PROTOCOL + 1 },
    { ...state, pid: '7' },
    { ...state, pid: Number.NaN },
    { ...state, directory: {} },
    { ...state, sessions: {} },
    { ...state, sessions: [{ ...session, client: { toString: 1 } }] },
    { ...state, sessions: [{ ...session, roots: [{ path: 1 }] }] },
    { ...state, children: Array.from({ length: 10_001 }, () => child) },
    { ...state, children: [{ ...child, lastLines: [{}] }] },
    { ...state, sessions: [{ ...session, callers: [{}] }] },
    { ...state, sessions: [{ ...session, trees: [{ path: 1 }] }] },
  ])('refuses what a page could not show: case %#', (value) => {
    expect(isProcessState(value)).toBe(false);
  });
});

describe('readEvents()', () => {
  const event = { at: 1, session: 's', tool: 'read', path: '/a', decision: 'allowed' };

  test('keeps events and leaves out the rest', () => {
    const events = [
      event,
      { ...event, at: '1' },
      { ...event, at: null },
      { ...event, at: 1e300 },
      { ...event, path: [] },
      { at: 1 },
      'x',
    ];
    expect(readEvents(events)).toEqual([event]);
    expect(readEvents({})).toEqual([]);
  });
});
