import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { startHttp, TOKEN } from './fixtures/http.js';
import { bareEnvironment, PROGRAM } from './fixtures/rootward.js';
import { connectSdkClient, type SdkClient } from './fixtures/sdk-clients.js';

/** A home directory with a repository that the operator named, and a folder beside it. */
const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-rules-')));
const at = (path: string): string => resolve(top, path);
afterAll(() => rmSync(top, { recursive: true, force: true }));

const FILES: Readonly<Record<string, string>> = {
  'operator.json': JSON.stringify({
    roots: ['home/work', { path: 'home/work/frozen', access: 'read-only' }],
    deny: ['config/private', '*.secret'],
    denyAbsolute: [at('home/work/absolute')],
  }),
  'home/.ssh/id_rsa': '',
  'home/.codex/auth.json': '',
  'home/work/.git/config': '',
  'home/work/.rootward.json': '{ "deny": ["hidden"] }',
  'home/work/.mcp.json': '{}',
  'home/work/config/open.txt': 'open',
  'home/work/config/private/key.txt': '',
  'home/work/absolute/x.txt': '',
  'home/work/frozen/x.txt': '',
  'home/work/hidden/x.txt': '',
  'home/work/sub/open.txt': 'open',
  'home/work/sub/personal/x.txt': '',
  'home/work/sub/deep/.rootward.json': '{ "readOnly": true }',
  'home/work/sub/deep/x.txt': '',
  'home/work/broken/.rootward.json': '{ "deny": [',
  'home/work/broken/x.txt': '',
  'home/beside/.rootward.json': '{ "deny": ["hidden"] }',
  'home/beside/.env': '',
  'home/beside/open.txt': 'open',
  'home/beside/hidden/x.txt': '',
  'home/beside/x.secret': '',
};

/** What each kind of rule forbids, and as what. */
const RULES: readonly (readonly [rule: string, action: 'read' | 'change', path: string, code: string])[] = [
  ['a glob of the operator', 'read', 'home/work/config/private/key.txt', 'denied'],
  ['a glob of the operator without a slash', 'read', 'home/beside/x.secret', 'denied'],
  ['an absolute path of the operator', 'read', 'home/work/absolute/x.txt', 'denied'],
  ['a root that the operator made read-only', 'change', 'home/work/frozen/x.txt', 'read_only'],
  ['a rules file of the repository', 'read', 'home/work/hidden/x.txt', 'denied'],
  ['a rules file further down', 'change', 'home/work/sub/deep/x.txt', 'read_only'],
  ['a rules file beside the repository', 'read', 'home/beside/hidden/x.txt', 'denied'],
  ['a rules file that cannot be read', 'read', 'home/work/broken/x.txt', 'rules_unreadable'],
  ['what the user keeps about the repository', 'read', 'home/work/sub/personal/x.txt', 'denied'],
  ['a folder of credentials', 'read', 'home/.ssh/id_rsa', 'denied'],
  ['a file of credentials', 'read', 'home/.codex/auth.json', 'denied'],
  ['names that hold secrets below a broad folder', 'read', 'home/beside/.env', 'denied'],
  ['configurations that start servers', 'change', 'home/work/.mcp.json', 'protected'],
  ['what makes git run programs', 'change', 'home/work/.git/config', 'protected'],
];

const OPEN = ['home/work/config/open.txt', 'home/work/sub/open.txt', 'home/beside/open.txt'];

/** What a client names. */
const ROOTS: readonly (readonly [kind: string, root: string])[] = [
  ['the same', 'home/work'],
  ...[
    'config',
    'config/private',
    'absolute',
    'frozen',
    'hidden',
    'sub',
    'sub/deep',
    'sub/personal',
    'broken',
  ].map((name) => ['narrower', `home/work/${name}`] as const),
  ['narrower, one file', 'home/work/hidden/x.txt'],
  ['wider', 'home'],
  ['wider than the ceiling', '.'],
  ['a sibling', 'home/beside'],
  ['a sibling with credentials', 'home/.ssh'],
  ['a sibling with a credential', 'home/.codex'],
  ['a sibling that is a credential', 'home/.codex/auth.json'],
];

const environment = { HOME: at('home'), XDG_CONFIG_HOME: at('settings') };
const args = ['--config', at('operator.json'), '--within', at('home')];

beforeAll(() => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  const command = [PROGRAM, 'settings', '--deny', 'sub/personal', '--', at('home/work')];
  execFileSync(process.execPath, command, { env: { ...bareEnvironment(), ...environment }, stdio: 'pipe' });
});

async function codeOf(client: SdkClient, action: 'read' | 'change', path: string): Promise<unknown> {
  const result = await (action === 'read'
    ? client.call('read_text_file', { path: at(path) })
    : client.call('write_file', { path: at(path), content: 'changed' }));
  const meta = result['_meta'] as { 'rootward/error'?: { error_type: string } } | undefined;
  return result['isError'] === true ? meta?.['rootward/error']?.error_type : undefined;
}

/** Over HTTP, a notification and the next call are two requests, either of which may arrive first. */
async function untilSeen(client: SdkClient, root: string): Promise<void> {
  await eventually(async () => {
    const { structuredContent } = await client.call('workspace_info');
    const [first] = (structuredContent as { roots: readonly { path: string }[] }).roots;
    expect(first?.path).toBe(root);
  });
}

describe.each(['v2 legacy', 'v2 modern'] as const)('without a repository or a ceiling, client %s', (kind) => {
  test.each(['same', 'below', 'above', 'link'] as const)('%s: what a user keeps holds', async (which) => {
    const home = mkdtempSync(join(top, 'user-'));
    const notes = join(home, 'all', 'notes');
    mkdirSync(join(notes, 'inner'), { recursive: true });
    writeFileSync(join(notes, 'inner', 'key.pem'), 'key');
    symlinkSync(notes, join(home, 'link'));
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'settings') };
    const command = [PROGRAM, 'settings', '--deny', '*.pem', '--read-only', '--', join(home, 'link')];
    execFileSync(process.execPath, command, { env: { ...bareEnvironment(), ...env }, stdio: 'pipe' });
    const named = {
      same: notes,
      below: join(notes, 'inner'),
      above: join(home, 'all'),
      link: join(home, 'link'),
    }[which];
    const client = await connectSdkClient(kind, { args: [], env }, [{ uri: pathToFileURL(named).href }]);
    expect(await codeOf(client, 'read', join(notes, 'inner', 'key.pem'))).toBe('denied');
    expect(await codeOf(client, 'change', join(notes, 'inner', 'new.txt'))).toBe('read_only');
    await client.close();
  });
});

const isIn = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

describe.each(['v2 legacy', 'v2 modern'] as const)('whatever roots the client %s names', (kind) => {
  test.each(['stdio', 'HTTP'])('over %s, every rule holds', async (transport) => {
    const given: { uri: string }[] = [];
    const place =
      transport === 'stdio'
        ? { args, env: environment }
        : { url: (await startHttp(args, { env: environment })).url, token: TOKEN };
    const client = await connectSdkClient(kind, place, given);
    const seen: string[] = [];
    const expected: string[] = [];
    for (const [name, named] of ROOTS) {
      given.splice(0, 1, { uri: pathToFileURL(at(named)).href });
      await client.rootsChanged();
      const root = named === '.' ? 'home' : named;
      await untilSeen(client, at(root));
      const asked = [...RULES, ...OPEN.map((path) => ['nothing', 'read', path, undefined] as const)];
      const outcomes = asked.map(async ([rule, action, path, code]) => {
        const line = `${name} (${named}): ${rule}: ${path}:`;
        expected.push(`${line} ${String(isIn(path, root) ? code : 'outside_roots')}`);
        return `${line} ${String(await codeOf(client, action, path))}`;
      });
      seen.push(...(await Promise.all(outcomes)));
    }
    expect(seen).toEqual(expected);
    await client.close();
  });
});
