import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serveWrapped, TOKENS } from './fixtures/http.js';
import { INNER, makeFolder } from './fixtures/wrapped.js';

const VERSION = '2026-07-28';
const url = await serveWrapped(['--root', makeFolder('top')], [process.execPath, INNER]);

/** One request of a client of the modern era, and what comes back, message by message. */
class Call {
  readonly #response: Promise<Response>;
  readonly messages: Record<string, unknown>[] = [];
  #reading: AsyncIterator<Uint8Array> | undefined;
  #text = '';

  constructor(name: string, progressToken: unknown, params: object = {}) {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      progressToken,
    };
    this.#response = fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${TOKENS[0]}`,
        'MCP-Protocol-Version': VERSION,
        'Mcp-Method': 'tools/call',
        'Mcp-Name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: {}, ...params, _meta: meta },
      }),
    });
  }

  /** Reads until a message has this member, and returns its value. */
  async until(member: 'result' | 'method'): Promise<unknown> {
    for (;;) {
      const found = this.messages.find((message) => member in message);
      if (found !== undefined) return found[member];
      const response = await this.#response;
      this.#reading ??= (response.body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      const { value, done } = await this.#reading.next();
      if (done === true && this.#text === '')
        throw new Error(`No ${member}: ${JSON.stringify(this.messages)}`);
      this.#text += done === true ? '\n' : Buffer.from(value).toString();
      const lines = this.#text.split('\n');
      this.#text = lines.pop() ?? '';
      for (const line of lines) {
        const json = line.replace(/^data: /, '');
        if (json.startsWith('{')) this.messages.push(JSON.parse(json) as Record<string, unknown>);
      }
    }
  }

  get progress(): readonly unknown[] {
    return this.messages.flatMap(({ method, params }) =>
      method === 'notifications/progress' ? [params] : [],
    );
  }
}

describe('progress for clients of the modern era over HTTP', () => {
  test('goes to whoever made the call, also where another uses the same token', async () => {
    const gate = join(makeFolder('gate'), 'open');
    const one = new Call('wait', 1, { arguments: { path: gate } });
    await one.until('method');
    const two = new Call('progress', 1);
    await two.until('result');
    expect(two.progress).toEqual([{ progressToken: 1, progress: 1, total: 2 }]);
    writeFileSync(gate, '');
    await one.until('result');
    expect(one.progress).toEqual([]);
  });

  test('follows a call into its next round, under the token of that round', async () => {
    const first = new Call('elicit', 'first');
    const asked = (await first.until('result')) as {
      inputRequests: Record<string, unknown>;
      requestState: string;
    };
    const [key = ''] = Object.keys(asked.inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    const second = new Call('elicit', 'second', { inputResponses, requestState: asked.requestState });
    expect(JSON.stringify(await second.until('result'))).toContain('Ada');
    expect(second.progress).toEqual([{ progressToken: 'second', progress: 2 }]);
  });
});
