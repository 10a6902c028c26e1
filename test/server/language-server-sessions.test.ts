import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OTHER_TOKEN, startHttp, TOKEN, type HttpRootward } from './fixtures/http.js';
import { bareEnvironment, makeFolders } from './fixtures/rootward.js';
import { connectSdkClient, type SdkClient, type SdkClientKind } from './fixtures/sdk-clients.js';
import { eventually } from '../../testing/eventually.js';

const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
const env = { ...bareEnvironment(), ROOTWARD_PROGRAM_FOLDERS: BIN };
const NAMES = ['ann', 'bob', 'shop'] as const;
type Name = (typeof NAMES)[number];
const folders = makeFolders(...NAMES, 'operator');
/** Three times two servers: with a third for JSON files, more would be needed than may run. */
const configuration = join(folders.path('operator'), 'rootward.json');
writeFileSync(configuration, JSON.stringify({ languageServers: { json: false } }));

for (const name of NAMES) {
  const at = (file: string): string => join(folders.path(name), file);
  const other = name === 'ann' ? 'bob' : 'ann';
  writeFileSync(at('tsconfig.json'), '{}');
  writeFileSync(at('main.ts'), `export const shared_${name} = 1;\n`);
  // What others have is on disk, and the compiler can follow the import.
  writeFileSync(
    at('use.ts'),
    `import { shared_${other} } from '../${other}/main';\n\nexport const copy_${name} = shared_${other};\n`,
  );
  writeFileSync(at('main.py'), `def python_${name}():\n    return 1\n`);
  writeFileSync(
    at('pyrightconfig.json'),
    JSON.stringify({ extraPaths: ['..'], reportMissingModuleSource: false }),
  );
}

/** The whole text of a result, whatever part of it a client shows. */
function textOf(result: unknown): string {
  return JSON.stringify(result);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** What every tool says that can be asked about these roots, and about a file that is not in them. */
async function askEverything(client: SdkClient, own: Name): Promise<string> {
  const other = own === 'ann' ? 'bob' : 'ann';
  const file = join(folders.path(own), 'use.ts');
  const symbol = `shared_${other}`;
  const answers = [
    await client.call('find_symbol', { query: 'shared_' }),
    await client.call('find_symbol', { query: 'python_' }),
    await client.call('definition', { symbol, file }),
    await client.call('references', { symbol, file }),
    await client.call('outline', { file }),
    await client.call('diagnostics', {}),
    await client.call('rename_symbol', { symbol, file, newName: 'mine', apply: true }),
    await client.call('workspace_info'),
  ];
  return textOf(answers);
}

async function ask(client: SdkClient): Promise<void> {
  expect(textOf(await client.call('outline', { file: 'main.ts' }))).toContain('shared_ann');
}

describe.skipIf(process.platform !== 'linux')('language servers of sessions over HTTP', () => {
  let http: HttpRootward;
  const clients: SdkClient[] = [];

  beforeEach(async () => {
    // Without a sandbox, so that what keeps roots apart is what the server lets through.
    http = await startHttp(['--within', folders.top, '--sandbox', 'off', '--config', configuration], { env });
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    http.server.process.kill('SIGTERM');
    await http.server.exit;
  });

  async function open(kind: SdkClientKind, token: string, ...names: readonly Name[]): Promise<SdkClient> {
    const roots = names.map((name) => ({ uri: folders.uri(name) }));
    const client = await connectSdkClient(kind, { url: http.url, token }, roots);
    clients.push(client);
    return client;
  }

  /** Language servers of this server that run now. */
  function running(program: RegExp): readonly number[] {
    const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isChild(name));
    return children.filter((pid) => program.test(read(`/proc/${pid}/cmdline`))).map(Number);
  }

  function isChild(pid: string): boolean {
    const stat = read(`/proc/${pid}/stat`);
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state !== 'Z' && Number(parent) === http.server.process.pid;
  }

  const TYPESCRIPT = /--lsp/;
  const PYRIGHT = /pyright/;

  test('no answer of a session or request holds anything of another’s root, in any tool', async () => {
    const ann = await open('v2 legacy', TOKEN, 'ann');
    const bob = await open('v1', TOKEN, 'bob');
    const modern = await open('v2 modern', OTHER_TOKEN, 'bob');
    const kinds = [
      [ann, 'ann'],
      [bob, 'bob'],
      [modern, 'bob'],
    ] as const;
    const answers = await Promise.all(kinds.map(([client, own]) => askEverything(client, own)));
    for (const [index, [, own]] of kinds.entries()) {
      const other = own === 'ann' ? 'bob' : 'ann';
      const said = answers[index]!;
      expect(said).toContain(`shared_${own}`);
      expect(said).toContain(`python_${own}`);
      expect(said).toContain('outside the roots');
      expect(said).not.toContain(folders.path(other));
      expect(said).not.toContain(`python_${other}`);
      expect(said).not.toContain(`copy_${other}`);
    }
    for (const name of NAMES) {
      expect(readFileSync(join(folders.path(name), 'main.ts'), 'utf8')).toContain(`shared_${name}`);
    }
    // Each principal and each set of roots has processes of its own.
    expect(running(TYPESCRIPT)).toHaveLength(3);
    expect(running(PYRIGHT)).toHaveLength(3);
  });

  test('sessions and requests of one principal with the same roots share a process, and others have their own', async () => {
    const first = await open('v2 legacy', TOKEN, 'ann');
    await ask(first);
    const [process] = running(TYPESCRIPT);
    await ask(await open('v1', TOKEN, 'ann'));
    const modern = await open('v2 modern', TOKEN, 'ann');
    await ask(modern);
    await ask(modern);
    expect(running(TYPESCRIPT)).toEqual([process]);
    await ask(await open('v2 legacy', OTHER_TOKEN, 'ann'));
    expect(running(TYPESCRIPT)).toHaveLength(2);
    await ask(await open('v2 modern', OTHER_TOKEN, 'ann', 'shop'));
    expect(running(TYPESCRIPT)).toHaveLength(3);
  });

  test('a process ends with the last session that uses it, and not before', async () => {
    const outline = { file: 'main.ts' };
    const one = await open('v2 legacy', TOKEN, 'ann');
    const two = await open('v2 legacy', TOKEN, 'ann');
    await one.call('outline', outline);
    await two.call('outline', outline);
    const before = running(TYPESCRIPT);
    expect(before).toHaveLength(1);
    await one.end();
    expect(textOf(await two.call('outline', outline))).toContain('shared_ann');
    expect(running(TYPESCRIPT)).toEqual(before);
    await two.end();
    await eventually(() => expect(running(TYPESCRIPT)).toEqual([]));
  });
});
