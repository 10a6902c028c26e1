import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const planted = new Set<string>();

afterEach(() => {
  for (const path of planted) rmSync(path);
  planted.clear();
});

async function lint(file: string, source: string): Promise<string> {
  const path = join(repository, file);
  mkdirSync(dirname(path), { recursive: true });
  planted.add(path);
  writeFileSync(path, source);
  const oxlint = join(repository, 'node_modules', 'oxlint', 'bin', 'oxlint');
  // Exit code 1 is what a finding looks like; its output is on the error.
  const { stdout } = await run(process.execPath, [oxlint, path], { cwd: repository }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

/** A forbidden import, and the folder that must not have it. */
const FORBIDDEN = [
  ['packages/core/src/planted.ts', '@rootward/mcp'],
  ['packages/core/src/planted.ts', '@modelcontextprotocol/server'],
  ['packages/core/src/planted.ts', 'vscode-jsonrpc'],
  ['packages/wrap/src/planted.ts', '@modelcontextprotocol/server'],
  ['packages/wrap/src/planted.ts', '@rootward/mcp'],
  ['packages/lsp/src/planted.ts', '@rootward/mcp'],
  ['packages/lsp/src/planted.ts', '@modelcontextprotocol/server'],
  ['packages/sandbox/src/planted.ts', '@rootward/lsp'],
  ['packages/core/src/uri/planted.ts', '../scope/scope.js'],
  ['packages/core/src/uri/planted.ts', 'node:fs'],
  ['packages/core/src/roots/planted.ts', '../workspace/workspace.js'],
  ['packages/core/src/scope/planted.ts', '../sources/read-sources.js'],
  ['packages/core/src/scope/gate/planted.ts', '../../sources/read-sources.js'],
  ['packages/core/src/scope/planted.ts', '../history/history.js'],
  ['packages/core/src/history/planted.ts', '../workspace/workspace.js'],
  ['packages/core/src/snapshot/planted.ts', '../scope/scope.js'],
  ['packages/core/src/scope/planted.ts', '../platform/process-tree.js'],
  ['packages/core/src/workspace/planted.ts', '../platform/process-tree.js'],
  ['packages/core/src/planted.ts', './platform/process-tree.js'],
  ['packages/mcp/src/hooks/planted.ts', '@modelcontextprotocol/server'],
  ['packages/mcp/src/context/planted.ts', '../legacy/legacy-connection.js'],
  ['packages/mcp/src/modern/planted.ts', '../hooks/sdk-port.js'],
  ['packages/mcp/src/sdk-v1/planted.ts', '@modelcontextprotocol/server'],
  ['packages/mcp/src/sdk-v2/http/planted.ts', '../../sdk-v1/sdk-port.js'],
  ['packages/server/src/settings/planted.ts', '../exec/json.js'],
  ['packages/server/src/settings/planted.ts', '../tools/toolsets.js'],
  ['packages/server/src/audit/planted.ts', '../guidance/guide.js'],
  ['packages/server/src/guidance/planted.ts', '../tools/framework/paging.js'],
  ['packages/server/src/search/planted.ts', '../edit/find-matches.js'],
  ['packages/server/src/edit/planted.ts', 'node:fs'],
  ['packages/server/src/languages/planted.ts', '../tools/framework/tool-context.js'],
  ['packages/server/src/exec/run/planted.ts', '../../tools/framework/results.js'],
  ['packages/server/src/tools/files/planted.ts', '../../serve/create-server.js'],
  ['packages/server/src/tools/files/planted.ts', 'node:fs/promises'],
  ['packages/server/src/serve/planted.ts', '../cli/program.js'],
  ['packages/server/src/tool-library/planted.ts', '../settings/settings.js'],
] as const;

test.each(FORBIDDEN)('the linter refuses %s an import of %s', async (file, specifier) => {
  expect(await lint(file, `export * as planted from '${specifier}';\n`)).toContain('no-restricted-imports');
});

test('the linter refuses a forbidden import of a type, too', async () => {
  const source =
    "import type { Tool } from '../tools/framework/define-tool.js';\nexport type Planted = Tool;\n";
  expect(await lint('packages/server/src/settings/planted.ts', source)).toContain('no-restricted-imports');
});

test('the linter accepts an import along the permitted direction', async () => {
  const output = await lint(
    'packages/core/src/scope/planted.ts',
    "export { isBroad } from '../roots/broad.js';\n",
  );
  expect(output).not.toContain('no-restricted-imports');
});
