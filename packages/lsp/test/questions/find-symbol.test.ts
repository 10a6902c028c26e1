import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Scope } from '@rootward/core';
import { findSymbol } from '@rootward/lsp';
import type { CodeContext, FindSymbolResult, FolderKind, LanguageServersOptions } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { recorded, scripted, type Script } from '../fixtures/scripted.js';

const NAMES = ['a', 'b', 'c'] as const;

let code: CodeWorkspace;

beforeEach(async () => {
  const files = NAMES.flatMap((name) => [
    [`root/${name}/toy.json`, ''],
    [`root/${name}/deep/x.toy`, 'served'],
  ]);
  code = await CodeWorkspace.open(Object.fromEntries(files), 'root');
});

afterEach(() => code.dispose());

function serve(folders: FolderKind, options: LanguageServersOptions = {}, script: Script = {}): CodeContext {
  const definition = scripted({ record: code.at('record'), ...script }, { folders });
  return code.serve({ servers: [{ ...definition, markers: ['toy.json'] }], ...options });
}

function startedIn(): readonly unknown[] {
  return recorded(code.at('record')).flatMap((entry) => entry['initialize']?.rootPath ?? []);
}

function found({ files }: FindSymbolResult): readonly string[] {
  return files.map(({ file }) => file);
}

const everyFile = (): readonly string[] => NAMES.map((name) => code.at('root', name, 'deep/x.toy'));

test('findSymbol() asks a server of one folder in every project of a root', async () => {
  const result = await findSymbol(serve('per-root'), { query: 'served' });
  expect(found(result)).toEqual(everyFile());
  expect(result).toMatchObject({ total: 3, complete: true, notes: [] });
  expect(startedIn()).toEqual(NAMES.map((name) => code.at('root', name)));
});

test.each(['shared', 'file-driven'] as const)(
  'findSymbol() asks a %s server once for all projects',
  async (kind) => {
    const result = await findSymbol(serve(kind, { limits: { settleTimeout: 0 } }), { query: 'served' });
    expect(found(result)).toEqual(everyFile());
    expect(recorded(code.at('record')).filter((entry) => 'initialize' in entry)).toHaveLength(1);
  },
);

test('findSymbol() asks no more projects than servers may run, and names the others', async () => {
  const result = await findSymbol(serve('per-root', { limits: { maxServers: 2 } }), { query: 'served' });
  expect(found(result)).toEqual(everyFile().slice(0, 2));
  expect(result).toMatchObject({
    complete: false,
    notes: [`scripted was asked in 2 of 3 projects, not in "${code.at('root/c')}"`],
  });
});

test('findSymbol() asks more languages than servers may run, and puts no server aside that is still to answer', async () => {
  const extensions = ['.toy', '.toy2', '.toy3', '.toy4'];
  const files = extensions.map((extension) => `root/a/deep/x${extension}`);
  code.write(Object.fromEntries(files.map((file) => [file, 'served by'])));
  // Between a server that runs and its question lies the search for the files to show it.
  const others = Array.from({ length: 500 }, (_, index) => `root/a/others/${index}.toy`);
  code.write(Object.fromEntries(others.map((file) => [file, 'something else'])));
  const servers = extensions.map((extension) => ({
    ...scripted({}, { name: extension, extension, folders: 'file-driven' }),
    answersInOrder: true,
  }));
  const context = code.serve({ servers, limits: { maxServers: 2 } });
  for (const query of ['served', 'served by', 'serve']) {
    const result = await findSymbol(context, { query });
    expect(result).toMatchObject({ complete: true, notes: [] });
    expect(found(result)).toEqual(expect.arrayContaining(files.map((file) => code.at(file))));
    expect(code.servers.status().length).toBeLessThanOrEqual(2);
  }
});

test('findSymbol() begins no further project when much time has passed', async () => {
  /** A clock by which every look at it takes half a minute. */
  class SlowClock extends FakeClock {
    override now(): number {
      this.advance(30_000);
      return super.now();
    }
  }
  const result = await findSymbol(serve('per-root', { clock: new SlowClock() }), { query: 'served' });
  const left = [code.at('root/b'), code.at('root/c')].map((folder) => `"${folder}"`).join(', ');
  expect(result.complete).toBe(false);
  expect(result.notes).toContain(`scripted was asked in 1 of 3 projects, not in ${left}`);
});

test('findSymbol() goes on to the next project when a server fails in one', async () => {
  const failures = { 'textDocument/documentSymbol': 'no idea' };
  const { complete, notes } = await findSymbol(serve('per-root', {}, { failures }), { query: 'served' });
  expect({ complete, notes }).toEqual({ complete: false, notes: ['Cannot ask scripted: no idea'] });
  expect(startedIn()).toHaveLength(3);
});

test('findSymbol() leaves out a file that goes away while it looks', async () => {
  const gone = code.at('root/b/deep/x.toy');
  const scope = new Proxy(code.workspace.scope(), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      // The file has been read by then, and is about to be opened.
      return (...args: readonly unknown[]): unknown => {
        if (name === 'stat' && args[0] === gone) rmSync(gone, { force: true });
        return value.apply(target, args);
      };
    },
  });
  const { servers } = serve('shared');
  const result = await findSymbol({ servers, scope }, { query: 'served' });
  expect(found(result)).toEqual(everyFile().filter((file) => file !== gone));
});

test('findSymbol() in a root that is too broad to be looked through says so', async () => {
  const roots = code.workspace.snapshot().roots.map((root) => ({ ...root, broad: true }));
  const scope = new Scope({ roots });
  const { servers } = serve('file-driven');
  const result = await findSymbol({ servers, scope }, { query: 'served' });
  expect(result).toMatchObject({ total: 0, complete: false, notes: [expect.stringContaining('too broad')] });
});
