import { expect, test } from 'vitest';
import { knownServers, readServerSettings, type ServerDefinition } from '@rootward/lsp';

test('readServerSettings() without settings gives the known servers', () => {
  expect(readServerSettings(undefined)).toBe(knownServers);
});

test('readServerSettings() puts new servers first, changes known ones and leaves out those switched off', () => {
  const servers = readServerSettings({
    pyright: { command: '/opt/pyright', settings: { python: { analysis: { typeCheckingMode: 'off' } } } },
    gopls: false,
    zig: { command: 'zls', extensions: { '.zig': 'zig' }, folders: 'shared' },
  });
  expect(servers[0]).toMatchObject({ name: 'zig', commands: ['zls'], folders: 'shared' });
  expect(servers.find(({ name }) => name === 'pyright')).toMatchObject({
    commands: ['/opt/pyright'],
    language: 'Python',
    settings: { python: { analysis: { typeCheckingMode: 'off' } } },
  });
  expect(servers.some(({ name }) => name === 'gopls')).toBe(false);
  expect(servers).toHaveLength(knownServers.length);
});

test('readServerSettings() adds settings, options and variables to those of a known server', () => {
  const servers = readServerSettings({
    typescript: { settings: { typescript: { preferences: { quoteStyle: 'single' } } } },
    'typescript-language-server': { initializationOptions: { hostInfo: 'test' } },
    gopls: { environment: { GOFLAGS: '-tags=x' } },
  });
  const find = (wanted: string): ServerDefinition => servers.find(({ name }) => name === wanted)!;
  expect(find('typescript').settings).toMatchObject({
    typescript: {
      preferences: { quoteStyle: 'single', useAliasesForRenames: false },
      disableAutomaticTypeAcquisition: true,
    },
    'js/ts': { tsserver: { automaticTypeAcquisition: { enabled: false } } },
  });
  expect(find('typescript-language-server').initializationOptions).toMatchObject({
    hostInfo: 'test',
    disableAutomaticTypingAcquisition: true,
  });
  expect(find('gopls').environment).toMatchObject({
    GOFLAGS: '-tags=x',
    GOTOOLCHAIN: 'local',
    GOPROXY: 'off',
  });
});

function limitOf(settings: unknown): number | undefined {
  return readServerSettings(settings).find(({ name }) => name === 'clangd')?.maxSymbols;
}

test('readServerSettings() does not hold a server with other arguments to what was measured', () => {
  expect(limitOf({ clangd: { environment: {} } })).toBe(10_000);
  expect(limitOf({ clangd: { args: ['--limit-results=50'] } })).toBeUndefined();
  expect(limitOf({ clangd: { command: '/opt/clangd' } })).toBeUndefined();
});

test.each([
  [[], /languageServers: expected an object, received \[\]/],
  [{ zig: { extensions: { '.zig': 'zig' } } }, /languageServers\.zig\.command: expected a program/],
  [{ zig: { command: 'zls' } }, /languageServers\.zig\.extensions/],
  [{ pyright: { folders: 'many' } }, /languageServers\.pyright\.folders: expected one of .* received "many"/],
  [{ pyright: { args: [1] } }, /languageServers\.pyright\.args: expected a list of strings/],
  [{ pyright: 'off' }, /expected an object or false, received "off"/],
])('readServerSettings() names what is wrong with %j', (settings, message) => {
  expect(() => readServerSettings(settings)).toThrow(message);
});
