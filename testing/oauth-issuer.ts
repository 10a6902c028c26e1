import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose';

/** An issuer on this machine, whose keys can be rotated. */
export class Issuer {
  url = '';
  isUp = true;
  keyFetches = 0;
  readonly #keys: JWK[] = [];
  readonly #server: Server = createServer((request, response) => {
    const send = (value: unknown): void => {
      response.writeHead(this.isUp ? 200 : 500, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.url === '/.well-known/oauth-authorization-server') {
      send({ issuer: this.url, jwks_uri: `${this.url}/keys` });
    } else if (request.url === '/keys') {
      this.keyFetches += 1;
      send({ keys: this.#keys });
    } else response.writeHead(404).end();
  });

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('Cannot start: no address');
    this.url = `http://127.0.0.1:${address.port}`;
  }

  async newKey(kid: string): Promise<{ readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }> {
    const pair = await generateKeyPair('RS256', { extractable: true });
    this.#keys.push({ ...(await exportJWK(pair.publicKey)), kid, alg: 'RS256', use: 'sig' });
    return pair;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
