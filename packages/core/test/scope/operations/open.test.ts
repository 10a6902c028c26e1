import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { OpenAccess } from '../../../src/scope/operations/open.js';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, rootAt, scopeOf, useTree } from '../fixture.js';

const tree = useTree();
const ACCESSES: readonly OpenAccess[] = ['read', 'read-write', 'append'];
const isPosix = process.platform !== 'win32';

describe.each(platforms)('Scope.open() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('hands out a handle that can only read, by default', async () => {
    tree().make({ 'a.txt': 'text' });
    const handle = await scope().open('a.txt');
    try {
      expect(await handle.readFile('utf8')).toBe('text');
      await expect(handle.write('x')).rejects.toMatchObject({ code: 'EBADF' });
    } finally {
      await handle.close();
    }
  });

  test('hands out a handle that reads and writes, without cutting the file', async () => {
    tree().make({ 'a.txt': 'text' });
    const handle = await scope().open('a.txt', { access: 'read-write' });
    await handle.write('T', 0);
    await handle.close();
    expect(tree().text('a.txt')).toBe('Text');
  });

  test('hands out a handle that adds to the end', async () => {
    tree().make({ 'a.txt': 'text' });
    const handle = await scope().open('a.txt', { access: 'append' });
    await handle.write('+', 0);
    await handle.close();
    expect(tree().text('a.txt')).toBe('text+');
  });

  test.each(ACCESSES)('with access %s refuses a folder', async (access) => {
    tree().make({ sub: {} });
    for (const path of ['.', 'sub']) expect(await codeOf(scope().open(path, { access }))).toBe('not-a-file');
  });

  test.each(ACCESSES)('with access %s creates nothing and stays inside', async (access) => {
    tree().make({ 'b.txt': 'outside' }, tree().outside);
    tree().link('link', tree().out('b.txt'));
    expect(await codeOf(scope().open('none', { access }))).toBe('not-found');
    expect(await codeOf(scope().open('link', { access }))).toBe('outside-roots');
    expect(await codeOf(scope().open(tree().out('b.txt'), { access }))).toBe('outside-roots');
    expect(tree().names()).toEqual(['link']);
  });

  test('keeps to the rules: no change in a read-only root, nothing denied', async () => {
    tree().make({ 'a.txt': 'text', '.env': '' });
    const readOnly = new Scope({
      roots: [rootAt(tree().inside, { access: 'read-only' })],
      rules: { deny: ['.env'] },
      platform,
    });
    await (await readOnly.open('a.txt')).close();
    expect(await codeOf(readOnly.open('a.txt', { access: 'read-write' }))).toBe('read-only');
    expect(await codeOf(readOnly.open('a.txt', { access: 'append' }))).toBe('read-only');
    expect(await codeOf(readOnly.open('.env'))).toBe('denied');
  });

  test.runIf(isPosix)('refuses a FIFO at once, however it is spelled', async () => {
    execFileSync('mkfifo', [tree().in('pipe')]);
    tree().link('link', 'pipe');
    for (const access of ACCESSES) {
      for (const path of ['pipe', 'link']) {
        expect(await codeOf(scope().open(path, { access }))).toBe('unsupported-type');
      }
      expect(await codeOf(scope().open('pipe/', { access }))).toBe('not-a-directory');
      expect(await codeOf(scope().open('pipe/.', { access }))).toBe('not-a-directory');
    }
  });

  test.runIf(isPosix)('refuses a socket', async () => {
    const server = createServer().listen(tree().in('socket'));
    await once(server, 'listening');
    try {
      expect(await codeOf(scope().open('socket'))).toBe('unsupported-type');
    } finally {
      server.close();
    }
  });
});
