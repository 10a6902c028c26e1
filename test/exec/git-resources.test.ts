import { execFileSync, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectAsking } from './fixtures/asking-client.js';
import { makeProject } from './fixtures/tools-project.js';

const certificate = fileURLToPath(new URL('./fixtures/certificate.pem', import.meta.url));
const pem = readFileSync(certificate);
const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-git-resources-')));
const web = createServer({ cert: pem, key: pem }, (request, response) => serve(request, response));

/** git's own server, as a web server runs it. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'https://server');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: top,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  // It may end before it has read all.
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    for (const line of all.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(': ');
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else if (name !== '') response.setHeader(name, value);
    }
    response.end(all.subarray(end + 4));
  });
}

const repository = join(top, 'repository');
beforeAll(async () => {
  mkdirSync(join(repository, 'docs'), { recursive: true });
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
    execFileSync('git', ['-C', repository, ...identity, ...args], { stdio: 'pipe' });
  };
  git('init', '-q', '-b', 'main');
  writeFileSync(join(repository, 'docs/a.txt'), 'old\n');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('tag', 'v1');
  writeFileSync(join(repository, 'docs/a.txt'), 'new\n');
  symlinkSync('docs/a.txt', join(repository, 'inside'));
  symlinkSync('/etc/hostname', join(repository, 'outside'));
  git('add', '.');
  git('commit', '-qm', 'two');
  await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  web.close();
  rmSync(top, { recursive: true, force: true });
});

test.runIf(process.platform !== 'win32')(
  'resources are read from git, from hosts the operator allows and nowhere else',
  async () => {
    const host = `127.0.0.1:${(web.address() as AddressInfo).port}`;
    const project = makeProject();
    const named = `git+https://${host}/repository/.git#v1:docs/a.txt`;
    project.write('resources/old.meta.json', JSON.stringify({ name: 'old', uri: named }));
    project.write(
      'resources/any.meta.json',
      JSON.stringify({
        name: 'any',
        uriTemplate: 'git+https://{place}',
        provider: 'git',
        mimeType: 'text/plain',
      }),
    );
    const client = await connectAsking(
      'legacy',
      ['--project', project.path, '--download-hosts', '127.0.0.1'],
      {
        env: { GIT_SSL_CAINFO: certificate, ROOTWARD_TOOL_ENV: 'allow:GIT_SSL_CAINFO' },
      },
    );
    const read = async (fragment: string, at = host): Promise<unknown> => {
      const uri = `git+https://${at}/repository/.git#${fragment}`;
      const { contents } = await client.readResource({ uri });
      return contents[0] !== undefined && 'text' in contents[0] ? contents[0].text : undefined;
    };
    expect((await client.readResource({ uri: named })).contents).toEqual([
      { uri: named, mimeType: 'text/plain', text: 'old\n' },
    ]);
    expect(await read('docs/a.txt')).toBe('new\n');
    expect(await read('main:inside')).toBe('new\n');
    await expect(read('main:outside')).rejects.toThrow(/not found/i);
    await expect(read('main:none')).rejects.toThrow(/not found/i);
    await expect(read('--upload-pack=x:docs/a.txt')).rejects.toThrow('is not the name of a branch');
    await expect(read('docs/a.txt', 'example.com')).rejects.toThrow('--download-hosts');
    await expect(read('docs/a.txt', `user:word@${host}`)).rejects.toThrow('no password');
    await expect(read('none:docs/a.txt')).rejects.toThrow(/none/);
  },
);
