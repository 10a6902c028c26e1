import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { releaseChangelog } from '../scripts/release/changelog.mjs';
import { publishedSchema, ruleProblems, schemaProblems } from '../scripts/release/registry-entry.mjs';
import { readRepository, withRepository } from '../scripts/release/repository.mjs';
import { currentVersion, publicPackages, withVersion } from '../scripts/release/versions.mjs';
import { packing } from '../testing/packing.js';

const repository = fileURLToPath(new URL('..', import.meta.url));

interface BundleManifest {
  readonly server: {
    readonly entry_point: string;
    readonly mcp_config: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
  };
  readonly tools: readonly { readonly name: string }[];
  readonly user_config: Readonly<Record<string, unknown>>;
}

type RegistryEntry = Parameters<typeof publishedSchema>[0];

const git = (...args: readonly string[]): string =>
  execFileSync('git', [...args], { cwd: repository, encoding: 'utf8' });
const state = (): readonly string[] => [
  git('status', '--porcelain'),
  git('tag', '--list'),
  git('rev-parse', 'HEAD'),
];

function release(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(repository, 'scripts', 'release.mjs'), ...args], {
    encoding: 'utf8',
  });
}

test('npm run release -- --dry-run packs everything, changes nothing, and builds a bundle that serves what it announces', async ({
  skip,
  onTestFinished,
}) => {
  const { before, status, stdout, after } = await packing(() => ({
    before: state(),
    ...release('--dry-run'),
    after: state(),
  }));
  skip(
    stdout.includes('cannot be fetched'),
    'the tool that packs comes from the registry, which is out of reach',
  );
  expect({ status, stdout }).toMatchObject({ status: 0 });
  // Before the first release, two things are left to decide.
  expect([...stdout.matchAll(/^([✓!✗] [\w ]+):/gm)].map(([, name]) => name)).toEqual([
    '✓ version',
    '✓ changelog',
    '! guides',
    '! provenance',
    '✓ tarballs',
    '✓ bundle',
    '✓ registry entry',
  ]);
  expect(stdout).toContain('pass --repository https://github.com/OWNER/NAME');
  expect(stdout).toContain('A release would stop at: guides, provenance.');
  expect(stdout).toContain('server.json is valid by its schema, https://static.modelcontextprotocol.io/');
  expect(stdout).toContain('Dry run: nothing was published, tagged, committed or changed.');
  expect(after).toEqual(before);
  const packed = readdirSync(join(repository, 'dist', 'release')).filter((name) => name.endsWith('.tgz'));
  const published = publicPackages(repository).map(
    ({ manifest: { name, version } }) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`,
  );
  expect(packed.sort()).toEqual(published.sort());

  const folder = join(repository, 'dist', 'mcpb');
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as BundleManifest;
  const open = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-mcpb-')));
  onTestFinished(() => rmSync(open, { recursive: true, force: true }));
  const { args, env } = manifest.server.mcp_config;
  const values: Readonly<Record<string, string>> = {
    __dirname: folder,
    'user_config.directories': open,
    'user_config.read_only': 'false',
  };
  const fill = (text: string): string =>
    text.replaceAll(/\$\{([\w.]+)\}/g, (_, name: string) => values[name]!);
  const client = new Client({ name: 'bundle', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: args.map(fill),
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
      stderr: 'ignore',
    }),
  );
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(manifest.tools.map(({ name }) => name).sort());
  writeFileSync(join(open, 'notes.txt'), 'served from a bundle');
  expect(await client.callTool({ name: 'read_text_file', arguments: { path: 'notes.txt' } })).toMatchObject({
    content: [{ text: 'served from a bundle' }],
  });
});

test.each([
  [['1.2'], '"1.2" is not a version such as 1.2.3'],
  [['--dryrun'], 'Usage: npm run release -- [VERSION] [--dry-run] [--repository URL] [--schema FILE]'],
  [['--repository', '/srv/git/x'], '"/srv/git/x" is not a repository such as https://github.com/OWNER/NAME'],
])('npm run release -- %s says what is wrong', (args, message) => {
  expect(release(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});

test('a release sets its version in every file that has the old one', () => {
  const packages = publicPackages(repository);
  const from = currentVersion(packages);
  const files = withVersion(repository, packages, from, '9.8.7');
  const setting = new RegExp(`"(?:version|@?rootward[^"]*)": "${from.replaceAll('.', '\\.')}"`);
  const wrong = [...files].filter(([, text]) => !text.includes('9.8.7') || setting.test(text));
  expect(wrong.map(([file]) => file)).toEqual([]);
  const named = git('grep', '-lF', from, '--', '*.json', '*.ts', 'docs').trim().split('\n');
  const expected = named.filter((file) => !/package-lock\.json$|(?:^|\/)test\//.test(file));
  expect(expected.filter((file) => !files.has(file))).toEqual([]);
  const odd = { file: 'x/package.json', manifest: { name: 'x', version: '0.0.1' } };
  expect(() => currentVersion([...packages, odd])).toThrow('x/package.json has version 0.0.1');
});

test('a release adds the repository it is given to every package and to the entry for the registry', async () => {
  const packages = publicPackages(repository);
  const entry = JSON.parse(readFileSync(join(repository, 'server.json'), 'utf8')) as RegistryEntry;
  const owner = /^io\.github\.(\w+)\//.exec(entry.name)?.[1] ?? '';
  const named = readRepository(`https://github.com/${owner}/some-name.git`);
  const files = withRepository(repository, packages, named);
  expect([...files.keys()].sort()).toEqual([...packages.map(({ file }) => file), 'server.json'].sort());
  for (const { file, manifest } of packages) {
    const repositoryMember = { url: `git+${named.url}.git`, directory: dirname(file), type: 'git' };
    expect(JSON.parse(files.get(file) ?? '')).toEqual({ ...manifest, repository: repositoryMember });
  }
  const text = files.get('server.json') ?? '';
  const published = JSON.parse(text) as RegistryEntry;
  expect(published).toEqual({ ...entry, repository: { url: named.url, source: 'github' } });
  const schema = await publishedSchema(published, undefined);
  expect([...ruleProblems(published), ...schemaProblems(published, schema ?? {})]).toEqual([]);
  expect(() => withRepository(repository, packages, { ...named, owner: 'someone-else' })).toThrow(
    'someone-else cannot publish',
  );
});

test('a release moves what is unreleased under its version', () => {
  const text = '# Changelog\n\n## Unreleased\n\n- One.\n- Two.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n';
  expect(releaseChangelog(text, '0.2.0', '2026-02-03')).toEqual({
    count: 2,
    text: text.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 (2026-02-03)\n'),
  });
  expect(() => releaseChangelog(text, '0.1.0', '2026-02-03')).toThrow('has version 0.1.0 already');
  const nothing = '## Unreleased\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n';
  expect(() => releaseChangelog(nothing, '0.2.0', '2026-02-03')).toThrow('say what changed');
});
