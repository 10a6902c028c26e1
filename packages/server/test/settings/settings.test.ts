import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fromEnvironment, unknownVariables } from '../../src/settings/from-environment.js';
import { fromFlags } from '../../src/settings/from-flags.js';
import { loadSettings, type LoadedSettings } from '../../src/settings/load-settings.js';
import { attributeName, OPTIONS } from '../../src/settings/values/options.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-settings-')));
afterAll(() => rmSync(top, { recursive: true }));
let count = 0;

/** A home of its own for each test, with these configuration files. */
function makeHome(files: Readonly<Record<string, unknown>> = {}): string {
  const home = join(top, String(count++));
  mkdirSync(home);
  for (const [name, content] of Object.entries(files)) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return home;
}

const USER_FILE = '.config/rootward/rootward.json';

async function load(
  home: string,
  flags: Readonly<Record<string, unknown>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<LoadedSettings> {
  return loadSettings(fromFlags(flags, [], { directory: home, home }), environment, home);
}

test('`~` is the home directory on the command line, where clients start a server without a shell', async () => {
  const home = makeHome({});
  const flags = fromFlags({ root: ['~/a'], within: ['~'] }, ['~/b', '~c'], { directory: '/elsewhere', home });
  expect(await loadSettings(flags, {}, home)).toMatchObject({
    roots: [`${home}/b`, '~c', `${home}/a`],
    within: [home],
  });
});

test('every option has a twin in the environment', () => {
  for (const spec of OPTIONS) {
    const name = attributeName(spec).replaceAll(/[A-Z]/g, (letter) => `_${letter}`);
    expect(spec.variable).toMatch(new RegExp(`^ROOTWARD_${name.toUpperCase()}S?$`));
  }
});

describe('loadSettings()', () => {
  test('puts the command line over the environment over the file', async () => {
    const home = makeHome({ [USER_FILE]: { clientRoots: 'ignore', logLevel: 'debug', readOnly: true } });
    const settings = await load(
      home,
      { logLevel: 'silent' },
      { ROOTWARD_LOG_LEVEL: 'info', ROOTWARD_CLIENT_ROOTS: 'add' },
    );
    expect(settings).toMatchObject({ logLevel: 'silent', clientRoots: 'add', readOnly: true });
  });

  test('lets the environment switch off what a file switches on', async () => {
    const home = makeHome({ [USER_FILE]: { readOnly: true, http: true } });
    expect(await load(home)).toMatchObject({ readOnly: true, http: { port: 7420, given: false } });
    expect(await load(home, {}, { ROOTWARD_READ_ONLY: 'false', ROOTWARD_HTTP: 'false' })).toMatchObject({
      readOnly: false,
      http: undefined,
    });
  });

  test('takes --ready-timeout in seconds, from a flag, the environment or a file', async () => {
    const home = makeHome({ [USER_FILE]: { readyTimeout: 10 } });
    expect(await load(makeHome())).toMatchObject({ readyTimeout: undefined });
    expect(await load(home)).toMatchObject({ readyTimeout: 10 });
    expect(await load(home, {}, { ROOTWARD_READY_TIMEOUT: '0.5' })).toMatchObject({ readyTimeout: 0.5 });
    const flags = { readyTimeout: '0' };
    expect(await load(home, flags, { ROOTWARD_READY_TIMEOUT: '1' })).toMatchObject({ readyTimeout: 0 });
  });

  test('takes an empty variable for none', async () => {
    expect(await load(makeHome(), {}, { ROOTWARD_LOG_LEVEL: '', ROOTWARD_WITHIN: '' })).toMatchObject({
      logLevel: 'warn',
      within: [],
    });
  });

  test.each(OPTIONS.filter(({ variable }) => variable !== 'ROOTWARD_ROOTS').map(({ variable }) => variable))(
    'refuses a blank %s, which would narrow nothing',
    async (variable) => {
      await expect(load(makeHome(), {}, { [variable]: ' ' })).rejects.toThrow(`" " as ${variable}`);
    },
  );

  test.each([
    { within: [' '] },
    { denyAbsolute: [' '] },
    { denyAbsolute: ['/etc\0'] },
    { tools: [' '] },
    { hideTools: [' read_file'] },
    { deny: [' '] },
  ])('refuses %j in a file, which would narrow nothing', async (content) => {
    await expect(load(makeHome({ [USER_FILE]: content }))).rejects.toMatchObject({ code: 'configuration' });
  });

  test('adds up what the files of the project and of the user deny', async () => {
    const home = makeHome({
      'project/rootward.json': { deny: ['a'], logLevel: 'info' },
      [USER_FILE]: { deny: ['b'], logLevel: 'debug', readOnly: true },
    });
    const settings = await load(home, { project: 'project' });
    expect(settings).toMatchObject({ deny: ['a', 'b'], logLevel: 'info', readOnly: true });
  });

  test('reads only the file that is named', async () => {
    const home = makeHome({ 'x.json': { deny: ['x'] }, [USER_FILE]: { deny: ['b'] } });
    expect(await load(home, { config: 'x.json' })).toMatchObject({ deny: ['x'] });
    expect(await load(home, {}, { ROOTWARD_CONFIG: join(home, 'x.json') })).toMatchObject({ deny: ['x'] });
  });

  test('never reads a file of the directory of the process, nor one of a root', async () => {
    const home = makeHome({ 'rootward.json': { readOnly: true }, 'root/rootward.json': { readOnly: true } });
    const settings = await loadSettings(
      fromFlags({ root: ['root'] }, [], { directory: home, home }),
      {},
      home,
    );
    expect(settings).toMatchObject({ readOnly: false, files: [] });
  });

  test('takes an IPv6 address in brackets for the address', async () => {
    const home = makeHome({ 'x.json': { host: '[::1]' } });
    expect(await load(home, { config: 'x.json' })).toMatchObject({ host: '::1' });
    expect(await load(home, { host: '[::1]', http: '0' })).toMatchObject({ host: '::1' });
  });

  test('makes paths of a file relative to that file', async () => {
    const home = makeHome({ 'c/x.json': { within: ['.'], audit: 'log', project: '/p', roots: ['r'] } });
    expect(await load(home, { config: 'c/x.json' })).toMatchObject({
      within: [`${home}/c`],
      audit: `${home}/c/log`,
      project: '/p',
      configuredRoots: [{ file: `${home}/c/x.json`, roots: ['r'] }],
    });
  });

  test('takes `~` in a file for the home directory', async () => {
    const roots = ['~/r', { path: '~', name: 'all' }, './~', 1];
    const home = makeHome({ 'c/x.json': { within: ['~'], audit: '~/log', roots } });
    expect(await load(home, { config: 'c/x.json' })).toMatchObject({
      within: [home],
      audit: `${home}/log`,
      configuredRoots: [{ roots: [`${home}/r`, { path: home, name: 'all' }, './~', 1] }],
    });
  });

  test.each([
    [{ reedOnly: true }, '"reedOnly" is not known; did you mean "readOnly"?'],
    [{ nonsense: 1, other: 2 }, '"nonsense" is not known; "other" is not known'],
    [{ toolsets: ['fils'] }, '"toolsets.0" is "fils", expected workspace, files'],
    [{ clientRoots: 'ad' }, '"clientRoots" is "ad", expected replace, add, ignore; did you mean "add"?'],
    [{ readOnly: 'yes' }, '"readOnly" is "yes"'],
    [{ http: 99_999 }, '"http" is 99999'],
    [{ deny: ['a['] }, 'Cannot read the deny pattern "a["'],
    [{ token: 'short' }, 'shorter than 16 characters'],
    [{ host: ' ' }, 'Cannot use " " as host in '],
    [{ languageServers: { mine: {} } }, '"languageServers.mine.command": expected a program'],
    [[], 'expected object'],
    ['{', 'it is not JSON'],
  ])('refuses a file with %j', async (content, problem) => {
    const home = makeHome({ 'x.json': content });
    await expect(load(home, { config: 'x.json' })).rejects.toThrow(problem);
    await expect(load(home, { config: 'x.json' })).rejects.toThrow('x.json');
  });

  test('skips no file that is there and cannot be read as one', async () => {
    const home = makeHome({ 'd/x': '' });
    await expect(load(home, { config: 'd' })).rejects.toThrow('it is a folder; name the file, as in ');
    await expect(load(home, { config: 'missing.json' })).rejects.toThrow('missing.json: it does not exist');
    symlinkSync('loop', join(home, 'loop'));
    await expect(load(home, { config: 'loop' })).rejects.toThrow('ELOOP');
  });

  test.each([
    [{ toolsets: ['fils'] }, 'Cannot use "fils" as --toolsets: expected workspace, files'],
    [{ clientRoots: 'repalce' }, 'did you mean "replace"?'],
    [{ readyTimeout: '61' }, '"61" as --ready-timeout: expected a number of seconds from 0 to 60'],
    [{ readyTimeout: '2s' }, '"2s" as --ready-timeout: expected a number of seconds'],
    [
      { logLevel: 'verbose' },
      'Cannot use "verbose" as --log-level: expected silent, error, warn, info, debug',
    ],
    [{ http: './dir' }, 'a folder to serve is written in front of --http'],
    [{ http: '65536' }, 'expected a port'],
    [{ http: '-1' }, 'expected a port'],
    [{ token: ['with blank and more'] }, 'Cannot use the token of --token'],
  ])('refuses %j', async (flags, problem) => {
    await expect(load(makeHome(), flags)).rejects.toThrow(problem);
  });

  test.each([
    ['https://mcp.example.com', ['https://mcp.example.com', 'https://mcp.example.com/']],
    ['https://mcp.example.com/', ['https://mcp.example.com/', 'https://mcp.example.com']],
    ['https://MCP.example.com/mcp', ['https://MCP.example.com/mcp', 'https://mcp.example.com/mcp']],
    ['https://mcp.example.com/mcp/', ['https://mcp.example.com/mcp/']],
  ])('takes tokens for %s as clients write it', async (publicUrl, audience) => {
    const oauthIssuer = 'https://login.example.com';
    expect(await load(makeHome(), { oauthIssuer, publicUrl })).toMatchObject({ oauth: { audience } });
    const named = { oauthIssuer, publicUrl, oauthAudience: 'https://mcp.example.com' };
    expect(await load(makeHome(), named)).toMatchObject({
      oauth: { audience: ['https://mcp.example.com'] },
    });
  });

  test.each([
    [{ oauthIssuer: 'https://a.example' }, 'Cannot use --oauth-issuer alone'],
    [
      { oauthIssuer: 'https://a.example', publicUrl: 'https://b.example', oauthAudience: '' },
      'Cannot use --oauth-issuer alone',
    ],
    [{ oauthIssuer: 'https://a.example?x=1', oauthAudience: 'a' }, 'without a query or fragment'],
  ])('refuses the half of a sign-in %j', async (given, problem) => {
    await expect(load(makeHome(), given)).rejects.toThrow(problem);
  });

  test('never repeats a token it refuses', async () => {
    const failure = load(makeHome(), { token: ['secret secret secret'] });
    await expect(failure).rejects.not.toThrow('secret');
    for (const token of [['secret secret secret'], { a: 'secret' }]) {
      const file = load(makeHome({ 'x.json': { token } }), { config: 'x.json' });
      await expect(file).rejects.toThrow('"token" is not a token');
      await expect(file).rejects.not.toThrow('secret');
    }
  });
});

describe('fromEnvironment()', () => {
  test.each([
    ['ROOTWARD_WITHIN', ':'],
    ['ROOTWARD_TOOLSETS', ' , '],
    ['ROOTWARD_TOKEN', ','],
  ])('refuses a %s of nothing but separators, rather than doing without', (variable, text) => {
    expect(() => fromEnvironment({ [variable]: text })).toThrow(
      `Cannot use ${JSON.stringify(text)} as ${variable}: it names nothing`,
    );
  });

  test('refuses relative paths, which would depend on where a host starts the server', () => {
    expect(() => fromEnvironment({ ROOTWARD_WITHIN: 'x' })).toThrow(
      'Cannot use "x" as ROOTWARD_WITHIN: expected an absolute path',
    );
  });

  test('splits lists', () => {
    expect(fromEnvironment({ ROOTWARD_WITHIN: '/a:/b', ROOTWARD_TOOLSETS: 'files, workspace' })).toEqual({
      within: ['/a', '/b'],
      toolsets: ['files', 'workspace'],
    });
  });

  test.each(['maybe', '2'])('refuses %j where true or false is expected', (text) => {
    expect(() => fromEnvironment({ ROOTWARD_READ_ONLY: text })).toThrow('expected true or false');
  });
});

test('unknownVariables() names what is most likely meant', () => {
  expect(
    unknownVariables({ ROOTWARD_ROOT: '/', ROOTWARD_TOKEN: 'x', PATH: '', ROOTWARD_HANDLE_KEY: '' }),
  ).toEqual(['ROOTWARD_ROOT means nothing here; did you mean ROOTWARD_ROOTS?']);
});
