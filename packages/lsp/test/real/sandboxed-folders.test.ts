import type { ChildProcess } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { definition, findSymbol } from '@rootward/lsp';
import { openSandbox } from '@rootward/sandbox';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';
import { eventually } from '../../../../testing/eventually.js';

const sandbox = await openSandbox({ level: 'auto' });

let home: CodeWorkspace;

afterEach(() => home.dispose());

function isGone({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function names(): Promise<{ readonly names: readonly string[]; readonly complete: boolean }> {
  const { files, complete } = await findSymbol(home.context(), { query: 'serve_' });
  return { names: files.flatMap(({ symbols }) => symbols.map(({ name }) => name)), complete };
}

test.skipIf(sandbox === undefined)(
  'a server in a sandbox answers at once when a root is added, until another has taken over, and ends with one that is removed',
  async () => {
    const children: ChildProcess[] = [];
    const files = { 'a/one.py': 'def serve_one(): ...\n', 'b/two.py': 'def serve_two(): ...\n' };
    home = await CodeWorkspace.open(files, 'a');
    const [pyright] = known('pyright');
    home.serve({
      servers: [{ ...pyright!, folders: 'shared', mixesFolders: false }],
      environment,
      sandbox: { open: () => Promise.resolve(sandbox) },
      onDidSpawn: (child) => children.push(child),
      limits: { settleTimeout: 50_000, requestTimeout: 50_000, takeOverWait: 0 },
    });
    const one = { names: ['serve_one'], complete: true };
    expect(await names()).toEqual(one);

    await home.giveRoots('a', 'b');
    expect(await names()).toEqual({ ...one, complete: false });
    // A file that it cannot see is asked about where it can be seen.
    const two = { symbol: 'serve_two', file: home.at('b/two.py') };
    expect((await definition(home.context(), two)).definitions).toMatchObject([{ file: two.file }]);
    const both = { names: ['serve_one', 'serve_two'], complete: true };
    await eventually(async () => expect(await names()).toEqual(both));
    expect(home.servers.status()).toMatchObject([{ folders: [home.at('a'), home.at('b')] }]);

    await home.giveRoots('a');
    expect(await names()).toEqual(one);
    // Not one of those that could see the root that went has answered.
    expect(children).toHaveLength(3);
    await eventually(() => expect(children.map(isGone)).toEqual([true, true, false]));
  },
);
