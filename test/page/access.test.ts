import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM } from '../server/fixtures/rootward.js';
import { Place } from './fixtures/ui.js';

const NOBODY = 65_534;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

describe.runIf(process.platform !== 'win32')('The server of the page', () => {
  const place = new Place();
  let url: URL;
  let token: string;
  const closers: (() => void)[] = [];

  beforeAll(async () => {
    url = await place.ui();
    token = url.hash.slice(1);
  });
  afterAll(() => {
    for (const close of closers) close();
  });

  function ask(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
    body = '',
    until = 'processes',
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: url.port, path, method, headers }, (response) => {
        let text = '';
        const done = (): void =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          // A stream does not end by itself.
          if (response.headers['content-type'] === 'text/event-stream' && text.includes(`event: ${until}`)) {
            done();
            sent.destroy();
          }
        });
        response.on('end', done);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  const bearer = (): { authorization: string } => ({ authorization: `Bearer ${token}` });

  const body = async (last: string): Promise<string> =>
    (await ask('/stream', { ...bearer(), 'last-event-id': last })).body;

  /** What comes at once after a number, all of it in one message. */
  const events = async (last: string): Promise<string> =>
    (await ask('/stream', { ...bearer(), 'last-event-id': last }, 'GET', '', 'events')).body;

  test('gives the page to a browser of this machine, with a strict policy and at most 80 KB', async () => {
    const { status, headers, body: html } = await ask('/');
    expect(status).toBe(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|http/);
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' });
    expect(html).not.toContain(token);
    expect(html).not.toMatch(/\s(?:on\w+|style|src|href)=/i);
    expect(gzipSync(html).length).toBeLessThan(80 * 1024);
  });

  test('shows nothing and does nothing without the token', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: token }]) {
      expect((await ask('/stream', headers)).status).toBe(401);
      expect((await ask('/act', headers, 'POST', '{}')).status).toBe(401);
    }
    expect((await ask('/stream', bearer())).body).toContain('event: processes');
  });

  test.each([
    [{ host: 'evil.example' }],
    [{ host: 'localhost.evil.example' }],
    [{ host: 'evil.example@localhost' }],
    [{ origin: 'http://evil.example' }],
    [{ origin: 'http://localhost:1' }],
    [{ origin: 'null' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('refuses %j, token or not', async (headers) => {
    expect((await ask('/', headers)).status).toBe(403);
    expect((await ask('/stream', { ...bearer(), ...headers })).status).toBe(403);
    expect((await ask('/act', { ...bearer(), ...headers }, 'POST', '{}')).status).toBe(403);
  });

  test.each([
    ['/act', 'POST', '{', 400],
    ['/act', 'POST', '{"method":"constructor"}', 400],
    ['/act', 'POST', `{"method":"ask","x":"${'x'.repeat(70_000)}"}`, 400],
    ['/act', 'POST', '{"method":"end","pid":1,"params":{"pid":1}}', 409],
    ['/act', 'GET', '', 405],
    ['/other', 'GET', '', 404],
    ['/../../etc/passwd', 'GET', '', 404],
  ])('%s %s with %s is answered %i', async (path, method, text, status) => {
    expect((await ask(path, bearer(), method, text)).status).toBe(status);
  });

  test("listens on loopback only, and finds servers by sockets that are the user's alone", async () => {
    const session = await place.server();
    const folder = join(place.runtime, 'rootward');
    await expect.poll(() => readdirSync(folder)).toContain(`${session.pid}.sock`);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    await expect.poll(() => statSync(join(folder, `${session.pid}.sock`)).mode & 0o777).toBe(0o600);
    await expect.poll(async () => (await ask('/stream', bearer())).body).toContain('a client 1.0');
    await session.end();
    await expect.poll(() => readdirSync(folder)).not.toContain(`${session.pid}.sock`);
  });

  test('with --ui a server has a page of its own, which ends with it', async () => {
    const child = spawn(process.execPath, [PROGRAM, '--ui', place.project], {
      env: place.environment,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    await expect.poll(() => said).toContain('the page is at http://127.0.0.1:');
    const own = new URL(/http:\S+/.exec(said)?.[0] ?? '');
    const page = await fetch(`${own.origin}/stream`, {
      headers: { authorization: `Bearer ${own.hash.slice(1)}` },
    });
    expect(page.status).toBe(200);
    await page.body?.cancel();
    const ended = once(child, 'exit');
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  });

  test('leaves out a process that lies on its socket, and goes on', async () => {
    const folder = join(place.runtime, 'rootward');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The pid of a process that is alive, which is this one; it claims to be another.
    const liar = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(`${JSON.stringify({ type: 'state', state: { protocol: 1, pid: 1, version: 'lie' } })}\n`);
      socket.write('x'.repeat(1000));
    });
    await new Promise<void>((resolve) => {
      liar.listen(join(folder, `${process.pid}.sock`), resolve);
    });
    closers.push(() => liar.close());
    writeFileSync(join(folder, '99999999.sock'), 'no socket');
    const session = await place.server({ client: 'honest' });
    await expect.poll(async () => (await ask('/stream', bearer())).body).toContain('honest 1.0');
    expect((await ask('/stream', bearer())).body).not.toContain('"lie"');
    await session.end();
  });

  test.skipIf(process.getuid?.() !== 0)("leaves another user's socket alone", async () => {
    const folder = join(place.runtime, 'rootward');
    let visits = 0;
    const foreign = createServer((socket) => {
      visits++;
      socket.destroy();
    });
    const path = join(place.runtime, 'foreign.sock');
    await new Promise<void>((resolve) => {
      foreign.listen(path, resolve);
    });
    closers.push(() => foreign.close());
    chownSync(path, NOBODY, NOBODY);
    // It is not ours from the first look on.
    renameSync(path, join(folder, `${process.ppid}.sock`));
    const session = await place.server({ client: 'mine' });
    // Found in a later look at the folder than the one that saw the other socket.
    await expect.poll(async () => (await ask('/stream', bearer())).body).toContain('mine 1.0');
    expect(visits).toBe(0);
    await session.end();
  });

  test('sends a page that comes back only what it has missed', async () => {
    const session = await place.server();
    await expect.poll(async () => (await ask('/stream', bearer())).body).toContain(`"pid":${session.pid}`);
    const run = /"run":"([^"]+)"/.exec(await body(''))?.[1] ?? '';
    await session.call('read_text_file', { path: 'first.txt' });
    await expect.poll(() => events(`${run} 0`)).toContain('first.txt');
    const last = /"number":(\d+)(?!.*"number")/s.exec(await events(`${run} 0`))?.[1] ?? '';
    await session.call('read_text_file', { path: 'second.txt' });
    await expect.poll(() => events(`${run} ${last}`)).toContain('second.txt');
    expect(await events(`${run} ${last}`)).not.toContain('first.txt');
    await session.end();
  });

  test('goes on where a page stopped, and sends all to one that comes from elsewhere', async () => {
    const session = await place.server();
    await expect.poll(async () => (await ask('/stream', bearer())).body).toContain(`"pid":${session.pid}`);
    await session.call('read_text_file', { path: 'one.txt' });
    const run = /"run":"([^"]+)"/.exec(await body(''))?.[1] ?? '';
    expect(await body(`${run} 0`)).toContain('"resumed":true');
    expect(await body('other 5')).toContain('"resumed":false');
    await session.end();
  });
});
