import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const TRACE = new URL('fixtures/trace-imports.mjs', import.meta.url);
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The packages of the protocol that importing an entry loads. */
async function loadedBy(entry: string): Promise<ReadonlySet<string>> {
  const script = `await import('${entry}')`;
  const args = ['--import', TRACE.href, '--input-type=module', '-e', script];
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: HERE, maxBuffer: 1e8 });
  expect(stderr).toContain('/mcp/dist/');
  return new Set(
    [...stderr.matchAll(/node_modules\/@modelcontextprotocol\/(\w+)\//g)].map((match) => match[1]!),
  );
}

test('importing @rootward/mcp loads SDK v2 only', async () => {
  const loaded = await loadedBy('@rootward/mcp');
  expect(loaded).toContain('server');
  expect(loaded).not.toContain('sdk');
});

test('importing @rootward/mcp/v1 loads SDK v1 only', async () => {
  const loaded = await loadedBy('@rootward/mcp/v1');
  expect(loaded).not.toContain('server');
  expect(loaded).not.toContain('core');
});

test('importing @rootward/mcp/testing loads no SDK', async () => {
  expect(await loadedBy('@rootward/mcp/testing')).toEqual(new Set());
});
