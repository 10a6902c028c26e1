import { expect, test } from 'vitest';
import { sandboxProfile } from '../../src/servers/sandbox-profile.js';

const HOME = '/home/ada';

test('sandboxProfile() gives no server the network unless the operator does', () => {
  expect(sandboxProfile({ name: 'pyright' }, { HOME }).network).toBe(false);
  expect(sandboxProfile({ name: 'pyright' }, { HOME }, { network: true }).network).toBe(true);
});

test('sandboxProfile() lets a server read and write where its variables lead', () => {
  const gopls = { name: 'gopls', inherits: ['GOPATH', 'GOCACHE'] };
  const { read, write } = sandboxProfile(gopls, { HOME, GOPATH: '/go', GOCACHE: '/cache/go' });
  expect(read).toContain('/go');
  expect(write).toContain('/cache/go');
});

test.each(['/home/ada', '/home/ada/', '/home', '/', 'relative'])(
  'sandboxProfile() does not open %s, whatever a variable says',
  (path) => {
    const { read } = sandboxProfile({ name: 'x', inherits: ['GOPATH'] }, { HOME, GOPATH: path });
    expect(read).toEqual([]);
  },
);
