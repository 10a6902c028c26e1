import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** A forbidden import, and the folder that must not have it. */
const FORBIDDEN = [
  ['packages/core/src', '@rootward/mcp'],
  ['packages/core/src', '@modelcontextprotocol/server'],
  ['packages/core/src', 'vscode-jsonrpc'],
  ['packages/wrap/src', '@modelcontextprotocol/server'],
  ['packages/wrap/src', '@rootward/mcp'],
  ['packages/lsp/src', '@rootward/mcp'],
  ['packages/lsp/src', '@modelcontextprotocol/server'],
  ['packages/sandbox/src', '@rootward/lsp'],
  ['packages/core/src/uri', '../scope/scope.js'],
  ['packages/core/src/uri', 'node:fs'],
  ['packages/core/src/roots', '../workspace/workspace.js'],
  ['packages/core/src/scope', '../sources/read-sources.js'],
  ['packages/core/src/scope/gate', '../../sources/read-sources.js'],
  ['packages/core/src/scope', '../history/history.js'],
  ['packages/core/src/history', '../workspace/workspace.js'],
  ['packages/core/src/snapshot', '../scope/scope.js'],
  ['packages/core/src/scope', '../platform/process-tree.js'],
  ['packages/core/src/workspace', '../platform/process-tree.js'],
  ['packages/core/src', './platform/process-tree.js'],
  ['packages/mcp/src/hooks', '@modelcontextprotocol/server'],
  ['packages/mcp/src/context', '../legacy/legacy-connection.js'],
  ['packages/mcp/src/modern', '../hooks/sdk-port.js'],
  ['packages/mcp/src/sdk-v1', '@modelcontextprotocol/server'],
  ['packages/mcp/src/sdk-v2/http', '../../sdk-v1/sdk-port.js'],
  ['packages/server/src/settings', '../exec/json.js'],
  ['packages/server/src/settings', '../tools/toolsets.js'],
  ['packages/server/src/audit', '../guidance/guide.js'],
  ['packages/server/src/guidance', '../tools/framework/paging.js'],
  ['packages/server/src/search', '../edit/find-matches.js'],
  ['packages/server/src/edit', 'node:fs'],
  ['packages/server/src/languages', '../tools/framework/tool-context.js'],
  ['packages/server/src/exec/run', '../../tools/framework/results.js'],
  ['packages/server/src/tools/files', '../../serve/create-server.js'],
  ['packages/server/src/tools/files', 'node:fs/promises'],
  ['packages/server/src/serve', '../cli/program.js'],
  ['packages/server/src/tool-library', '../settings/settings.js'],
] as const;

/** What the linter must refuse, and what it must accept, as files to plant. */
const SOURCES = {
  ...Object.fromEntries(
    FORBIDDEN.map(([folder, specifier], index) => [
      `${folder}/planted-${index}.ts`,
      `export * as planted from '${specifier}';\n`,
    ]),
  ),
  'packages/server/src/settings/planted-type.ts':
    "import type { Tool } from '../tools/framework/define-tool.js';\nexport type Planted = Tool;\n",
  'packages/core/src/scope/planted-permitted.ts': "export { isBroad } from '../roots/broad.js';\n",
};

let folder: string;
/** What the linter refuses in each planted file. */
let findings: ReadonlySet<string>;

// All of them in one run, and beside the repository: others look at its folders meanwhile.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rootward-boundaries-'));
  cpSync(join(repository, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const [path, source] of Object.entries(SOURCES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), source);
  }
  const oxlint = join(repository, 'node_modules', 'oxlint', 'bin', 'oxlint');
  // Exit code 1 is what a finding looks like; its output is on the error.
  const { stdout } = await run(process.execPath, [oxlint, '--format', 'json'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  findings = new Set(
    diagnostics.filter(({ code }) => code.includes('no-restricted-imports')).map(({ filename }) => filename),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(FORBIDDEN.map(([path, specifier], index) => [path, specifier, index] as const))(
  'the linter refuses a file of %s an import of %s',
  (path, _specifier, index) => {
    expect(findings).toContain(`${path}/planted-${index}.ts`);
  },
);

test('the linter refuses a forbidden import of a type, too', () => {
  expect(findings).toContain('packages/server/src/settings/planted-type.ts');
});

test('the linter accepts an import along the permitted direction', () => {
  expect(findings).not.toContain('packages/core/src/scope/planted-permitted.ts');
});
