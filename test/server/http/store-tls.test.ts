import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../testing/eventually.js';
import { isInstalled, RedisServer, STORE_PROGRAM } from '../../../testing/redis-server.js';
import { authorized, INITIALIZE, send, startHttp, TOKEN, type HttpRootward } from '../fixtures/http.js';
import { makeFolders } from '../fixtures/rootward.js';

const folders = makeFolders('a');

function hasOpenssl(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'openssl'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function start(store: string, authority?: string): Promise<HttpRootward> {
  return startHttp([folders.path('a')], {
    env: {
      ROOTWARD_STORE: store,
      ROOTWARD_HANDLE_KEY: 'k'.repeat(32),
      ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }),
    },
  });
}

/** An authority, and a certificate of it for this name. */
function makeCertificate(folder: string, name: string): void {
  const run = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = ['-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=test authority', '-days', '2'];
  run('req', '-x509', ...curve, ...authority);
  run('req', ...curve, '-keyout', 'redis.key', '-out', 'redis.csr', '-subj', '/CN=redis');
  writeFileSync(join(folder, 'names'), `subjectAltName=${name}\n`);
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  run('x509', '-req', '-in', 'redis.csr', '-out', 'redis.crt', ...signed);
}

describe.skipIf(!isInstalled(STORE_PROGRAM) || !hasOpenssl())(
  `TLS to a ${STORE_PROGRAM}, with openssl`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'rootward-tls-'));
    let redis: RedisServer;
    let url: string;
    beforeAll(async () => {
      makeCertificate(folder, 'IP:127.0.0.1');
      const port = await freePort();
      const options = {
        'tls-port': String(port),
        bind: '127.0.0.1',
        'tls-auth-clients': 'no',
        'tls-cert-file': join(folder, 'redis.crt'),
        'tls-key-file': join(folder, 'redis.key'),
        'tls-ca-cert-file': join(folder, 'ca.crt'),
        requirepass: 'sesame',
      };
      const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
      redis = await RedisServer.start(STORE_PROGRAM, args);
      url = `rediss://:sesame@127.0.0.1:${port}`;
    });
    afterAll(async () => {
      await redis[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    test('an authority that NODE_EXTRA_CA_CERTS names is trusted, and sessions are shared', async () => {
      const instances = await Promise.all([1, 2].map(() => start(url, join(folder, 'ca.crt'))));
      const opened = await send(instances[0]!.url, authorized(TOKEN), INITIALIZE);
      expect(opened.status).toBe(200);
      const headers = { ...authorized(TOKEN), 'Mcp-Session-Id': String(opened.headers['mcp-session-id']) };
      const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
      for (const { url: each } of instances) expect((await send(each, headers, ping)).status).toBe(200);
    });

    test.each<[string, RegExp, () => string, () => string | undefined]>([
      [
        'of an unknown authority',
        /\((SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE)\)/,
        () => url,
        () => undefined,
      ],
      [
        'for another name',
        /\(ERR_TLS_CERT_ALTNAME_INVALID\)/,
        () => url.replace('127.0.0.1', 'localhost'),
        () => join(folder, 'ca.crt'),
      ],
    ])(
      'a certificate %s is refused, and the reason has no address and no password',
      async (_, reason, store, authority) => {
        const http = await start(store(), authority());
        await eventually(async () => {
          const answer = await send(http.url, authorized(TOKEN), INITIALIZE);
          expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
          expect(answer.text).toMatch(reason);
          expect(answer.text).not.toMatch(/sesame|127\.0\.0\.1|localhost/);
        });
        expect(http.server.stderr()).not.toContain('sesame');
      },
    );
  },
);
