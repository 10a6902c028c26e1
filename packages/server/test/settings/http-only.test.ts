import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fromFlags } from '../../src/settings/from-flags.js';
import { requireHttp, requireWrappable } from '../../src/settings/http-only.js';
import { loadSettings, type LoadedSettings } from '../../src/settings/load-settings.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-http-only-')));
afterAll(() => rmSync(home, { recursive: true }));

async function load(
  environment: Readonly<Record<string, string>>,
  flags: Readonly<Record<string, unknown>> = {},
): Promise<LoadedSettings> {
  return loadSettings(fromFlags(flags, [], { directory: home, home }), environment, home);
}

const VARIABLES: readonly (readonly [string, string])[] = [
  ['ROOTWARD_LIMITS', 'requests=2'],
  ['ROOTWARD_STORE', 'redis://localhost'],
  ['ROOTWARD_OAUTH_AUDIENCE', 'me'],
];
const ISSUER = { ROOTWARD_OAUTH_ISSUER: 'https://login.example.com' };

describe.each(['over stdio', 'with --http'])('requireWrappable() %s', (transport) => {
  const http = transport === 'with --http' ? { ROOTWARD_HTTP: '0' } : {};

  test.each(VARIABLES)('refuses %s by its name', async (variable, value) => {
    const settings = await load({ ...http, [variable]: value });
    expect(() => requireWrappable(settings)).toThrow(`Cannot use ${variable} for a wrapped server`);
  });

  test('refuses an issuer and an audience, and says what to do', async () => {
    const settings = await load({ ...http, ...ISSUER, ROOTWARD_OAUTH_AUDIENCE: 'me' });
    expect(() => requireWrappable(settings)).toThrow(
      /^Cannot use ROOTWARD_OAUTH_ISSUER and ROOTWARD_OAUTH_AUDIENCE for .*: it is for --http without the command wrap\. Remove it, .* with --config; .* under "wrap" in rootward\.json/,
    );
  });

  test('refuses the members of a file, and names all of them and the file', async () => {
    const file = join(home, 'limits.json');
    writeFileSync(file, JSON.stringify({ limits: { requests: 2 }, store: 'redis://localhost' }));
    const settings = await load(http, { config: file });
    expect(() => requireWrappable(settings)).toThrow(
      `Cannot use "store" in ${file} and "limits" in ${file} for a wrapped server`,
    );
  });
});

test('requireWrappable() takes a public address with --http only', async () => {
  const environment = { ROOTWARD_PUBLIC_URL: 'https://mcp.example.com/mcp' };
  requireWrappable(await load({ ...environment, ROOTWARD_HTTP: '0' }));
  const overStdio = await load(environment);
  expect(() => requireWrappable(overStdio)).toThrow('Cannot use ROOTWARD_PUBLIC_URL over stdio');
});

test('requireHttp() refuses over stdio what is for --http, and names where it was said', async () => {
  const signIn = { ...ISSUER, ROOTWARD_PUBLIC_URL: 'https://mcp.example.com/mcp' };
  for (const [variable, value] of VARIABLES) {
    const settings = await load({ [variable]: value });
    expect(() => requireHttp(settings)).toThrow(`Cannot use ${variable} over stdio: it is for --http`);
    requireHttp(await load({ ...signIn, [variable]: value, ROOTWARD_HTTP: '0' }));
  }
  const flags = await load({}, { publicUrl: 'https://mcp.example.com/mcp' });
  expect(() => requireHttp(flags)).toThrow('Cannot use --public-url over stdio: it is for --http');
});

test('requireHttp() refuses an audience without an issuer, which would let nobody in', async () => {
  const settings = await load({ ROOTWARD_HTTP: '0', ROOTWARD_OAUTH_AUDIENCE: 'me' });
  expect(() => requireHttp(settings)).toThrow(
    'Cannot use ROOTWARD_OAUTH_AUDIENCE alone: name the issuer of the tokens with --oauth-issuer',
  );
});
