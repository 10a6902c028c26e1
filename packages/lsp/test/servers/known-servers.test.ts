import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { knownServers, LanguageServers, RootwardLspError } from '@rootward/lsp';

const LANGUAGES = {
  'a.ts': 'typescript',
  'a.js': 'typescript',
  'a.py': 'pyright',
  'a.rs': 'rust-analyzer',
  'a.go': 'gopls',
  'a.c': 'clangd',
  'a.cpp': 'clangd',
  'a.sh': 'bash-language-server',
  'a.json': 'json',
  'a.yaml': 'yaml-language-server',
  'a.html': 'html',
  'a.css': 'css',
  'a.php': 'intelephense',
  'a.rb': 'ruby-lsp',
  'a.lua': 'lua-language-server',
  'a.java': 'jdtls',
  'a.cs': 'csharp-ls',
};

test.each(Object.entries(LANGUAGES))(
  'without a server for %s the error names what to install',
  async (file, name) => {
    const servers = new LanguageServers({ snapshot: () => ({ roots: [] }) }, { environment: { PATH: '' } });
    const failure = await servers.definitionFor(file).catch((error: unknown) => error);
    const { install, language } = knownServers.find((definition) => definition.name === name)!;
    expect(failure).toBeInstanceOf(RootwardLspError);
    expect(failure).toMatchObject({
      code: 'not-installed',
      message: `Cannot understand ${language}: ${name} is not installed`,
      instruction: `Run: ${install}. Reading, searching and editing files works without it`,
    });
  },
);

test('a kind of file nobody knows leads to the configuration', async () => {
  const servers = new LanguageServers({ snapshot: () => ({ roots: [] }) });
  const asked = servers.definitionFor('a.unknown');
  await expect(asked).rejects.toMatchObject({
    code: 'no-server',
    instruction: expect.stringContaining('languageServers'),
  });
});

test('the servers that are called tested are those that our tests run', () => {
  const folder = new URL('../real/', import.meta.url);
  const tests = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const isRun = (name: string): boolean =>
    tests.some((text) => text.includes(`'${name}'`) && /known\(|open\(/.test(text));
  for (const { name, isTested = false } of knownServers)
    expect([name, isRun(name)]).toEqual([name, isTested]);
});
