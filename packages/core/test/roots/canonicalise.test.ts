import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalise } from '../../src/roots/canonicalise.js';
import { rootsDisk, type RootsDisk } from '../../src/roots/roots-disk.js';
import { diskError, makeTemporaryDirectory, type TemporaryDirectory } from './roots-fixture.js';

const read = (path: string, disk: RootsDisk = rootsDisk) => canonicalise(path, 'posix', disk);

const diskResolvingTo = (resolved: string): RootsDisk => ({
  realpath: async () => resolved,
  inspect: () => 'directory',
});

describe.skipIf(process.platform === 'win32')('canonicalise() on a posix disk', () => {
  let temporary: TemporaryDirectory;
  const at = (...parts: string[]) => `${temporary.path}/${parts.join('/')}`;

  beforeAll(async () => {
    temporary = await makeTemporaryDirectory();
    mkdirSync(at('real', 'deep'), { recursive: true });
    mkdirSync(at('line\nbreak'));
    writeFileSync(at('file.txt'), '');
    symlinkSync(at('real', 'deep'), at('link'));
    symlinkSync(at('loop'), at('loop'));
    symlinkSync(at('missing'), at('dangling'));
    symlinkSync(at('line\nbreak'), at('to-line-break'));
    symlinkSync('/proc/self', at('to-proc'));
  });

  afterAll(() => temporary.remove());

  test('resolves links, and what follows them, physically', async () => {
    const deep = { ok: true, path: at('real', 'deep'), kind: 'directory' };
    expect(await read(at('link'))).toEqual(deep);
    expect(await read(at('link/'))).toEqual(deep);
    expect(await read(at('link/.'))).toEqual(deep);
    expect(await read(at('link/..'))).toEqual({ ...deep, path: at('real') });
    expect(await read(at('link/../deep/'))).toEqual(deep);
  });

  test('takes a regular file', async () => {
    expect(await read(at('file.txt'))).toEqual({ ok: true, path: at('file.txt'), kind: 'file' });
  });

  test('leaves no separator at the end, except for the root of the disk', async () => {
    expect(await read('/')).toEqual({ ok: true, path: '/', kind: 'directory' });
    expect(await read(at('real//'))).toMatchObject({ path: at('real') });
  });

  test.each([
    'missing',
    'missing/below',
    'dangling',
    'loop',
    'file.txt/below',
    'file.txt/',
    'file.txt/.',
    'x'.repeat(5000),
  ])('refuses %s as not-found', async (name) => {
    expect(await read(at(name))).toMatchObject({ ok: false, reason: 'not-found' });
  });

  test('refuses a file with a trailing separator even where realpath does not mind', async () => {
    const lenient: RootsDisk = { ...rootsDisk, realpath: async () => at('file.txt') };
    for (const ending of ['/', '/.', '/..']) {
      expect(await read(at(`file.txt${ending}`), lenient)).toMatchObject({ ok: false, reason: 'not-found' });
    }
  });

  test.each([
    '/proc',
    '/proc/self/cwd',
    '/proc/self/root',
    '/dev',
    '/dev/null',
    '/dev/fd/0',
    '//proc/self/cwd',
    '/tmp/../proc/self/cwd',
    '/./dev/',
  ])('refuses %s, which belongs to the kernel', async (path) => {
    expect(await read(path)).toMatchObject({ ok: false, reason: 'not-a-directory-or-file' });
  });

  test.runIf(process.platform === 'linux')('refuses a link that leads to the kernel', async () => {
    expect(await read(at('to-proc'))).toMatchObject({ ok: false, reason: 'not-a-directory-or-file' });
    expect(await read('/sys')).toMatchObject({ ok: false, reason: 'not-a-directory-or-file' });
  });

  test('takes a directory whose name merely starts like one of the kernel', async () => {
    const disk: RootsDisk = {
      ...rootsDisk,
      realpath: async (path) => path,
      inspect: () => 'directory',
    };
    expect(await read('/devel', disk)).toMatchObject({ ok: true, path: '/devel' });
    expect(await read('/home/dev', disk)).toMatchObject({ ok: true, path: '/home/dev' });
  });

  test('refuses a FIFO and a socket without blocking', async () => {
    execFileSync('mkfifo', [at('fifo')]);
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(at('socket'), resolve);
    });
    try {
      for (const name of ['fifo', 'socket']) {
        expect(await read(at(name))).toMatchObject({ ok: false, reason: 'not-a-directory-or-file' });
      }
    } finally {
      server.close();
    }
  });

  test('refuses a link to a name that could forge a line', async () => {
    expect(await read(at('to-line-break'))).toMatchObject({ ok: false, reason: 'bad-encoding' });
  });

  test.runIf(process.platform === 'linux')('refuses a link to a name that is not UTF-8', async () => {
    const name = Buffer.concat([Buffer.from(at('bytes-')), Buffer.from([0xff])]);
    mkdirSync(name);
    symlinkSync(name, at('to-bytes'));
    mkdirSync(at('bytes-\uFFFD'));
    expect(await read(at('to-bytes'))).toMatchObject({ ok: false, reason: 'bad-encoding' });
    expect(await read(at('bytes-\uFFFD'))).toMatchObject({ ok: true, path: at('bytes-\uFFFD') });
  });

  test.each(['EACCES', 'EPERM', 'EIO'])('refuses as not-readable when the disk answers %s', async (code) => {
    const fail = () => {
      throw diskError(code);
    };
    for (const method of ['realpath', 'inspect'] as const) {
      expect(await read(at('real'), { ...rootsDisk, [method]: fail })).toMatchObject({
        ok: false,
        reason: 'not-readable',
      });
    }
  });
});

describe('canonicalise() by windows rules', () => {
  test('upper-cases the drive that the disk reports', async () => {
    expect(await canonicalise('C:\\X', 'windows', diskResolvingTo('c:\\x'))).toEqual({
      ok: true,
      path: 'C:\\x',
      kind: 'directory',
    });
    expect(await canonicalise('C:\\', 'windows', diskResolvingTo('C:\\'))).toMatchObject({ path: 'C:\\' });
  });

  test('refuses a drive that turns out to be a network share or a device', async () => {
    expect(await canonicalise('Z:\\x', 'windows', diskResolvingTo('\\\\server\\share\\x'))).toMatchObject({
      ok: false,
      reason: 'remote-authority',
    });
    expect(await canonicalise('C:\\NUL', 'windows', diskResolvingTo('\\\\.\\NUL'))).toMatchObject({
      ok: false,
    });
  });
});

const isSuperuser = process.getuid?.() === 0;

test.skipIf(isSuperuser || process.platform === 'win32')(
  'canonicalise() refuses a directory this user may not list',
  async () => {
    const temporary = await makeTemporaryDirectory();
    try {
      mkdirSync(join(temporary.path, 'closed'), { mode: 0o300 });
      expect(await canonicalise(join(temporary.path, 'closed'), 'posix', rootsDisk)).toMatchObject({
        reason: 'not-readable',
      });
    } finally {
      await temporary.remove();
    }
  },
);
