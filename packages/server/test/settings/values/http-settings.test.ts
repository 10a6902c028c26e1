import { expect, test } from 'vitest';
import { readLimits, readSecureUrl, readStore } from '../../../src/settings/values/http-settings.js';
import { makeTree } from '../../fixtures/temp-tree.js';

const origin = { name: '--store', base: '/' };

test.each([
  'redis://localhost',
  'redis://user@localhost:6379/3',
  'rediss://localhost/',
  'unix:///run/redis.sock',
  'unix://localhost/run/redis.sock',
])('readStore() takes %s', (text) => {
  expect(readStore(text, origin)).toEqual({ store: text });
});

test.each([
  ['redis://', 'the host is missing'],
  ['redis:///0', 'the host is missing'],
  ['redis://localhost?password=sesame', 'it has a query or fragment (? or #)'],
  ['redis://localhost/0#sesame', 'it has a query or fragment (? or #)'],
  ['redis://localhost/sesame', 'what follows the host is not the number of a database'],
  ['redis://:sesame@localhost:70000', 'it is not a URL, or its port is not a number up to 65535'],
  ['unix:///run/redis.sock?password=sesame', 'it has a query or fragment (? or #)'],
  ['unix://localhost', 'the path of the socket is missing'],
  ['http://localhost/sesame', 'it begins with none of redis://, rediss:// and unix://'],
  ['sesame', 'it is not a URL, or its port is not a number up to 65535'],
])('readStore() refuses %s and says why, but does not repeat it', (text, fault) => {
  const read = (): object => readStore(text, origin);
  expect(read).toThrow(`Cannot use --store: ${fault}; expected redis://HOST[:PORT][/DATABASE], `);
  expect(read).not.toThrow('sesame');
});

test.each(['redis://:s%esame@localhost', 'unix://:100%@localhost/run/redis.sock', 'unix:///run/%zz.sock'])(
  'readStore() refuses %s, whose %% stands for nothing',
  (text) => {
    expect(() => readStore(text, { ...origin, name: 'ROOTWARD_STORE' })).toThrow(
      /^Cannot use ROOTWARD_STORE: a % in its user, password or path must be written as %25$/,
    );
  },
);

test('readStore() takes a URL from a file', () => {
  const tree = makeTree({ url: 'redis://:sesame@localhost\n' });
  const storeFile = tree.path('url');
  expect(readStore(`@${storeFile}`, origin)).toEqual({ store: 'redis://:sesame@localhost', storeFile });
});

test('readStore() refuses a file that is none, or too large to hold a URL', () => {
  const tree = makeTree({ huge: ' '.repeat(100_000), 'folder/x': '' });
  expect(() => readStore(`@${tree.path('huge')}`, origin)).toThrow(/huge: it has more than 65536 bytes/);
  expect(() => readStore(`@${tree.path('folder')}`, origin)).toThrow(/folder: it is not a file/);
  expect(() => readStore(`@${tree.path('missing')}`, origin)).toThrow(/missing: it does not exist$/);
});

test('readLimits() takes each limit once', () => {
  const limits = { name: '--limits', base: '/' };
  expect(readLimits(['requests=5,bytes=7', 'sessions = 9'], limits)).toEqual({
    requests: 5,
    bytes: 7,
    sessions: 9,
  });
  for (const texts of [['requests=5,requests=9'], ['requests=5', 'requests=5']]) {
    expect(() => readLimits(texts, limits)).toThrow(
      `Cannot use "${texts.join(',')}" as --limits: give requests once`,
    );
  }
});

test.each(['requests=1=2', 'requests=1=', 'requests=', 'requests', 'requests=0', 'requests=1e3'])(
  'readLimits() refuses %s',
  (text) => {
    expect(() => readLimits([text], { name: '--limits', base: '/' })).toThrow(
      `Cannot use "${text}" as --limits: expected a whole number above 0, such as requests=100`,
    );
  },
);

test.each(['https://mcp.example.com/mcp', 'https://MCP.example.com', 'http://localhost:1/'])(
  'readSecureUrl() takes %s',
  (text) => {
    expect(readSecureUrl(text, { name: '--public-url', base: '/' })).toBe(text);
  },
);

test.each([
  'https://mcp.example.com/mcp?tenant=1',
  'https://mcp.example.com/?',
  'https://mcp.example.com/#mcp',
  'https://mcp.example.com/#',
])('readSecureUrl() refuses %s, since the addresses that are made from it would lose a part', (text) => {
  expect(() => readSecureUrl(text, { name: '--public-url', base: '/' })).toThrow(
    `Cannot use "${text}" as --public-url: expected an https:// address without a query or fragment`,
  );
});

test.each(['mcp.example.com', 'http://mcp.example.com/mcp'])(
  'readSecureUrl() refuses %s, and says what it takes',
  (text) => {
    expect(() => readSecureUrl(text, { name: '--public-url', base: '/' })).toThrow(
      `Cannot use "${text}" as --public-url: expected an https:// address, or an http:// address of this machine (localhost, 127.0.0.1 or [::1])`,
    );
  },
);

test.each([
  'https://user:secret@mcp.example.com/mcp',
  'https://secret@mcp.example.com',
  'http://a:secret@x?y',
])('readSecureUrl() refuses %s without repeating it', (text) => {
  const read = (): string => readSecureUrl(text, { name: 'ROOTWARD_OAUTH_ISSUER', base: '/' });
  expect(read).toThrow(
    /^Cannot use ROOTWARD_OAUTH_ISSUER: expected an https:\/\/ address without a user name or password$/,
  );
});
