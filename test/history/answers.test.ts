import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
  type FSWatcher,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectToProcess, ScriptedClient } from '@rootward/mcp/testing';
import { expect, test } from 'vitest';
import { changesNoFiles } from '../../packages/server/src/tools/register-tools.js';
import { toolsets } from '../../packages/server/src/tools/toolsets.js';
import { afterThisTest } from '../../testing/clean-up.js';
import { bareEnvironment, makeFolders, PROGRAM, textOf } from '../server/fixtures/rootward.js';

type Result = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

const folders = makeFolders('state');
const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
const FILES = {
  'tsconfig.json': '{}',
  'src/cart.ts': 'export class Cart {\n  total(): number {\n    return 1;\n  }\n}\n',
  'src/shop.ts': "import { Cart } from './cart';\n\nexport const sum: number = new Cart().total();\n",
  // Too large for a line of the journal, so that its content needs a file of its own.
  'large.txt': 'x'.repeat(5000),
  'folder/one.txt': 'one',
  'folder/sub/two.txt': 'two',
};

/** How each tool that changes files is called; each call finds the same files. A new tool has to be added here. */
const CALLS: Readonly<Record<string, readonly Arguments[]>> = {
  write_file: [
    { path: 'src/shop.ts', content: 'export const sum: string = 1;\n' },
    { path: 'large.txt', content: 'small' },
    { path: 'src/new.ts', content: 'export const one: string = 1;\n' },
  ],
  edit_file: [
    { path: 'src/shop.ts', edits: [{ oldText: ': number', newText: ': string' }] },
    { path: 'large.txt', edits: [{ oldText: 'x', newText: 'y', replaceAll: true }] },
  ],
  create_directory: [{ path: 'new/deep/folder' }],
  move_file: [
    { source: 'large.txt', destination: 'moved.txt' },
    { source: 'folder', destination: 'moved' },
  ],
  copy_file: [{ source: 'large.txt', destination: 'copy.txt' }],
  delete_file: [{ path: 'large.txt' }, { path: 'folder', recursive: true }],
  undo_changes: [{ id: 'that of a change made for it' }],
  rename_symbol: [{ symbol: 'Cart', file: 'src/cart.ts', newName: 'Basket', apply: true }],
  edit_symbol: [{ symbol: 'total', file: 'src/cart.ts', action: 'replace', text: 'total(): string {}' }],
};

/** Every call with every option after which something else can fail. */
function callsOf(name: string, schema: object): readonly Arguments[] {
  const calls = CALLS[name];
  if (calls === undefined) throw new Error(`Say in this test how ${name} is called`);
  return 'diagnostics' in schema ? calls.flatMap((args) => [args, { ...args, diagnostics: true }]) : calls;
}

/** All that is in a folder, with kind, mode and content. */
function contentsOf(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode } = lstatSync(path);
      return [path, entry.isFile() ? `${mode} ${readFileSync(path, 'utf8')}` : String(mode)];
    }),
  );
}

function plant(work: string): void {
  for (const name of readdirSync(work)) rmSync(join(work, name), { recursive: true });
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), content);
  }
}

/** Ends every process that one has started, and those that they have started. */
function killChildren(pid: number): void {
  for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)) {
    killChildren(Number(child));
    process.kill(Number(child), 'SIGKILL');
  }
}

/** A way in which the world spoils what comes after a change. */
interface Fault {
  readonly history?: 'best-effort' | 'required' | 'off';
  /** A command in front of the server's own, with `$0` for its state folder. */
  readonly script?: string;
  /** Happens when the server runs. */
  readonly begin?: (at: { readonly state: string; readonly audit: string }) => void;
  /** Happens as soon as something is changed. */
  readonly onChange?: (server: number) => void;
  /** Whether the tools for files succeed. */
  readonly changes: boolean;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  none: { changes: true },
  'no history': { history: 'off', changes: true },
  'an audit file that can no longer be written': {
    begin: ({ audit }) => {
      rmSync(audit);
      mkdirSync(audit);
    },
    changes: true,
  },
  'a language server that is killed by each change': { onChange: killChildren, changes: true },
  'a history folder that is a file': {
    begin: ({ state }) => writeFileSync(join(state, 'rootward'), ''),
    changes: true,
  },
  'a history folder that is a file, required': {
    history: 'required',
    begin: ({ state }) => writeFileSync(join(state, 'rootward'), ''),
    changes: false,
  },
  ...Object.fromEntries(
    [8, 16, 32].flatMap((size) =>
      (['best-effort', 'required'] as const).map((history) => [
        `a history folder of ${size} KiB that fills up, ${history}`,
        {
          history,
          script: `mount -t tmpfs -o size=${size}k,mode=700 none "$0" && exec "$@"`,
          changes: history === 'best-effort',
        },
      ]),
    ),
  ),
};

const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;
const tools = Object.values(toolsets)
  .flat()
  .filter((tool) => !changesNoFiles(tool));

for (const [name, fault] of Object.entries(FAULTS)) {
  const { history = 'best-effort', script, begin, onChange, changes } = fault;
  test.runIf(script === undefined || canMount)(
    `an answer is an error if and only if nothing was changed: ${name}`,
    async () => {
      const place = join(folders.top, name.replaceAll(/\W/g, '-'));
      const [work, state, audit] = [join(place, 'work'), join(place, 'state'), join(place, 'audit.jsonl')];
      for (const folder of [work, state]) mkdirSync(folder, { recursive: true });
      plant(work);
      const prefix = script === undefined ? [] : ['unshare', '-m', 'sh', '-c', script, state];
      const own = [process.execPath, PROGRAM, work, '--history', history, '--audit', audit];
      // The test itself puts the files back between the calls.
      const [program, ...args] = [...prefix, ...own, '--sandbox', 'off', '--overwrite-changed'];
      const connection = connectToProcess(program ?? '', {
        args,
        env: { ...bareEnvironment(), XDG_STATE_HOME: state, ROOTWARD_PROGRAM_FOLDERS: BIN },
      });
      afterThisTest(() => connection.process.kill('SIGKILL'));
      const client = new ScriptedClient(connection);
      await client.connect();
      const call: Call = (tool, given) =>
        client.request('tools/call', { name: tool, arguments: { ...given } });
      begin?.({ state, audit });
      const [made, faults, compared]: [string[], string[], string[]] = [[], [], []];
      const known = history === 'off' ? tools.filter(({ name: each }) => each !== 'undo_changes') : tools;
      for (const tool of known) {
        for (let given of callsOf(tool.name, tool.input().shape)) {
          plant(work);
          if (tool.name === 'undo_changes') given = { id: await changeToUndo(call) };
          const before = contentsOf(work);
          const watchers =
            onChange === undefined ? [] : watchFor(work, () => onChange(connection.process.pid ?? 0));
          const result = await call(tool.name, given);
          for (const watcher of watchers) watcher.close();
          const changed = JSON.stringify([...contentsOf(work)]) !== JSON.stringify([...before]);
          const ids = changed && history !== 'off' ? await changesIn(call) : [];
          const about = `${tool.name} ${JSON.stringify(given)} ${textOf(result)}`;
          for (const each of faultsOf(result, changed, ids)) faults.push(`${each}: ${about}`);
          if (changed) made.push(tool.name);
          if (given['diagnostics'] === true) compared.push(textsOf(result).join('\n'));
        }
      }
      expect(faults).toEqual([]);
      expect(name === 'none' ? compared.filter((text) => !/new problems/i.test(text)) : []).toEqual([]);
      // What needs a language server or a history may fail without one.
      const sure = known.filter(
        (tool) => name === 'none' || (changes && tool.toolset === 'files' && tool.name !== 'undo_changes'),
      );
      expect(made).toEqual(expect.arrayContaining(sure.map((tool) => tool.name)));
    },
  );
}

test.runIf(canMount)('a removal that fails half way is no error, and says what failed', async () => {
  const work = join(folders.top, 'half', 'work');
  mkdirSync(join(work, 'folder', 'mounted'), { recursive: true });
  // Only the server sees the file in there, and the folder itself cannot be removed.
  const script = 'mount -t tmpfs none "$0" && touch "$0/gone.txt" && exec "$@"';
  const args = ['-m', 'sh', '-c', script, join(work, 'folder', 'mounted')];
  const own = [process.execPath, PROGRAM, work, '--history', 'off'];
  const connection = connectToProcess('unshare', { args: [...args, ...own], env: bareEnvironment() });
  afterThisTest(() => connection.process.kill('SIGKILL'));
  const client = new ScriptedClient(connection);
  await client.connect();
  const call = (): Promise<Result> =>
    client.request('tools/call', { name: 'delete_file', arguments: { path: 'folder', recursive: true } });
  const [first, second] = [await call(), await call()];
  expect(first['isError']).toBeUndefined();
  expect(textOf(first)).toMatch(/^changed: true, not kept in the history\n.* failed: Cannot remove /);
  expect(first['structuredContent']).toMatchObject({ changed: true, error: { error_type: 'not_permitted' } });
  expect([second['isError'], textOf(second).includes('changed: true')]).toEqual([true, false]);
});

type Call = (tool: string, given: Arguments) => Promise<Result>;

async function changeToUndo(call: Call): Promise<unknown> {
  const { structuredContent } = await call('write_file', { path: 'folder/one.txt', content: 'other' });
  return (structuredContent as Result)['changeId'] ?? 'none';
}

function textsOf(result: Result): readonly string[] {
  return (result['content'] as readonly { readonly text: string }[]).map(({ text }) => text);
}

async function changesIn(call: Call): Promise<readonly unknown[]> {
  const { structuredContent } = await call('change_history', { limit: 200 });
  const { changes = [] } = (structuredContent ?? {}) as { readonly changes?: readonly Result[] };
  return changes.map(({ id }) => id);
}

/** What is wrong with an answer, given whether its call changed something, and which changes are kept. */
function faultsOf(result: Result, changed: boolean, ids: readonly unknown[]): readonly string[] {
  if (!changed) return result['isError'] === true ? [] : ['nothing was changed, and it is no error'];
  if (result['isError'] === true) return ['something was changed, and it is an error'];
  const data = result['structuredContent'] as Result;
  const id = data['changeId'];
  return [
    ...(data['changed'] === true ? [] : ['it does not say that something was changed']),
    ...(id === undefined || ids.includes(id) ? [] : ['the change is not in the history']),
    // Clients that show the structured part only show all of it.
    ...('content' in data && data['content'] !== textsOf(result).join('\n') ? ['it lacks some text'] : []),
  ];
}

/** Watches each folder by itself: Node's own way to watch a tree throws where a folder is gone when it looks. */
function watchFor(folder: string, act: () => void): readonly FSWatcher[] {
  const below = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return [folder, ...below].map((each) => watch(each, act));
}
