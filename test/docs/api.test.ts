import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../../packages/server/dist/settings/values/options.js';
import { PAGES, repository } from './pages.js';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly types: string }>>;
}

interface Exported {
  readonly entry: string;
  readonly name: string;
  /** The file that declares it. */
  readonly file: string;
}

const packages = readdirSync(join(repository, 'packages')).map((name) => join(repository, 'packages', name));

/** All but those that carry a binary. */
const withSources = packages.filter((folder) => existsSync(join(folder, 'src')));

/** Every name that can be imported from the packages, by the types they publish. */
const EXPORTS: readonly Exported[] = packages.flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return Object.entries(manifest.exports ?? {}).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : namesIn(posix.join(manifest.name, path), join(folder, target.types)),
  );
});

function namesIn(entry: string, index: string): Exported[] {
  const lines = readFileSync(index, 'utf8').matchAll(/\{([^}]*)\} from '(.+)\.js'/g);
  return [...lines].flatMap(([, names = '', from = '']) =>
    (names.match(/\w+/g) ?? []).map((name) => ({ entry, name, file: join(dirname(index), `${from}.d.ts`) })),
  );
}

function pageOf(name: string): string {
  return PAGES.find((page) => page.name === name)?.text ?? '';
}

/** The part of the page about the library that is about one entry. */
function sectionOf(entry: string): string {
  const section = `${pageOf(join('docs', 'api.md'))}\n## `.split(`## ${entry}\n`)[1];
  return section?.split('\n## ')[0] ?? '';
}

/** The members of a union of texts in a package's errors. */
function codesIn(folder: string, type: string): readonly string[] {
  const text = readFileSync(join(repository, 'packages', folder, 'dist', 'error.d.ts'), 'utf8');
  const union = new RegExp(`type ${type} =([^;]+);`).exec(text)?.[1] ?? '';
  return [...union.matchAll(/'([\w-]+)'/g)].map((match) => match[1] ?? '');
}

describe('What the packages export', () => {
  test('is known, every entry of it', () => {
    const entries = new Set(EXPORTS.map(({ entry }) => entry));
    expect([...entries].sort()).toEqual([
      '@rootward/core',
      '@rootward/core/history',
      '@rootward/core/platform',
      '@rootward/lsp',
      '@rootward/mcp',
      '@rootward/mcp/host',
      '@rootward/mcp/redis',
      '@rootward/mcp/testing',
      '@rootward/mcp/v1',
      '@rootward/sandbox',
      '@rootward/syntax',
      '@rootward/wrap',
      'rootward/tool',
    ]);
  });

  test('is what can be imported', async () => {
    const core = Object.keys(await import('@rootward/core'));
    const names = new Set(EXPORTS.filter(({ entry }) => entry === '@rootward/core').map(({ name }) => name));
    expect(core.length).toBeGreaterThan(10);
    expect(core.filter((name) => !names.has(name))).toEqual([]);
  });

  test('is used by another package, a guide or an example, every value of core', async () => {
    const elsewhere = [
      ...withSources.filter((folder) => !folder.endsWith('/core')).map((folder) => join(folder, 'src')),
      join(repository, 'bench', 'src'),
      join(repository, 'examples'),
    ];
    const code = elsewhere.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.[cm]?[jt]s$/.test(name) && !name.includes('node_modules'))
        .map((name) => readFileSync(join(folder, name), 'utf8')),
    );
    const guides = PAGES.filter(({ name }) => name !== join('docs', 'api.md')).map(({ text }) => text);
    const words = new Set([...code, ...guides].flatMap((text) => text.match(/\w+/g) ?? []));
    const names = [
      ...Object.keys(await import('@rootward/core')),
      ...Object.keys(await import('@rootward/core/history')),
    ];
    expect(names.filter((name) => !words.has(name))).toEqual([]);
  });

  test('has a doc comment, every name', () => {
    const bare = EXPORTS.filter(({ name, file }) => {
      const declared = new RegExp(`\\*/\\n(?:export )?(?:declare )?(?:abstract )?\\w+ ${name}\\b`);
      return !declared.test(readFileSync(file, 'utf8'));
    });
    expect(bare.map(({ entry, name }) => `${entry}: ${name}`)).toEqual([]);
  });

  test('is in the guide, every name', () => {
    const missing = EXPORTS.filter(({ entry, name }) => {
      const pages = entry === '@rootward/mcp/v1' ? [entry, '@rootward/mcp'] : [entry];
      return !pages.some((page) => sectionOf(page).includes(`\`${name}\``));
    });
    expect(missing.map(({ entry, name }) => `${entry}: ${name}`)).toEqual([]);
  });
});

describe('What goes wrong is in the guides', () => {
  test.each([
    { folder: 'core', type: 'ScopeErrorCode', page: 'server-authors.md' },
    { folder: 'core', type: 'HistoryErrorCode', page: 'history.md' },
    { folder: 'mcp', type: 'McpErrorCode', page: 'server-authors.md' },
    { folder: 'lsp', type: 'LspErrorCode', page: 'language-servers.md' },
    { folder: 'sandbox', type: 'SandboxErrorCode', page: 'sandbox.md' },
    { folder: 'wrap', type: 'WrapErrorCode', page: 'wrap.md' },
  ])('every $type: $page', ({ folder, type, page }) => {
    const codes = codesIn(folder, type);
    expect(codes.length).toBeGreaterThan(3);
    const text = pageOf(join('docs', page));
    expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });

  test.each([
    ['reason for which a root does not count', 'error', 'RejectionReason', 'troubleshooting.md'],
    ['source of roots', 'roots/root', 'Source', 'roots.md'],
    ['state of a client', 'sources/client-state', 'ClientState', 'roots.md'],
    ['verdict of the trace', 'snapshot/trace', 'Verdict', 'roots.md'],
  ])('every %s', (_, file, type, page) => {
    const text = readFileSync(join(repository, 'packages/core/dist', `${file}.d.ts`), 'utf8');
    const [, union = ''] = new RegExp(`type ${type} =([^;]+);`).exec(text) ?? [];
    const words = [...union.matchAll(/'([\w-]+)'/g)].map(([, word = '']) => word);
    expect(words.length).toBeGreaterThan(8);
    const guide = pageOf(join('docs', page));
    expect(words.filter((word) => !guide.includes(`\`${word}\``))).toEqual([]);
  });
});

test('every variable of ours that is read is in the guide to options', () => {
  const sources = withSources.flatMap((folder) =>
    readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, 'src', name), 'utf8')),
  );
  const variables = new Set(
    sources.flatMap((text) => text.match(/\b(?:ROOTWARD|MCPBASH)(?:_[A-Z]+)+\b/g) ?? []),
  );
  expect([...variables]).toEqual(expect.arrayContaining(OPTIONS.map(({ variable }) => variable)));
  // Set for tools, never read.
  variables.delete('MCPBASH_JSON_TOOL_BIN');
  variables.delete('MCPBASH_CLIENT_SUPPORTS_UI');
  const page = pageOf(join('docs', 'options.md'));
  expect([...variables].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('every option of withWorkspace() is in the guide for server authors', () => {
  const source = readFileSync(join(repository, 'packages/mcp/src/context/check-options.ts'), 'utf8');
  const [, checked = ''] = /^const EXPECTED.*? = \{\n(.*?)^\};$/ms.exec(source) ?? [];
  const options = [...checked.matchAll(/^ {2}(\w+):/gm)].map((match) => match[1] ?? '');
  expect(options).toContain('clientRoots');
  const [, section = ''] = /^## Options$(.*?)^## /ms.exec(pageOf(join('docs', 'server-authors.md'))) ?? [];
  expect(options.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});

test('every setting of a language server is in its guide', () => {
  const file = readFileSync(join(repository, 'packages/server/schema/rootward.schema.json'), 'utf8');
  const schema = JSON.parse(file) as {
    readonly properties: {
      readonly languageServers: {
        readonly additionalProperties: { readonly anyOf: readonly { readonly properties?: object }[] };
      };
    };
  };
  const settings = schema.properties.languageServers.additionalProperties.anyOf.flatMap(
    ({ properties = {} }) => Object.keys(properties),
  );
  expect(settings).toContain('command');
  const page = pageOf(join('docs', 'language-servers.md'));
  expect(settings.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
