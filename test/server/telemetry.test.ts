import { copyFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { isObject } from '@rootward/core/platform';
import { connectToProcess, ScriptedClient } from '@rootward/mcp/testing';
import { afterAll, beforeAll, expect, describe, test } from 'vitest';
import { INNER, makeFolder, PROGRAM, roots } from '../wrap/fixtures/wrapped.js';

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly Attribute[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const MAX_ATTEMPTS = 10;

/** What a collector was sent. */
const bodies: { readonly path: string; readonly body: unknown }[] = [];
const collector = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  request.on('end', () => {
    bodies.push({ path: request.url ?? '', body: JSON.parse(text) });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
let endpoint = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    collector.listen(0, '127.0.0.1', resolve);
  });
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterAll(() => collector.close());

/** Everything under a name, however deep. */
function allOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => allOf(item, name));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && Array.isArray(inner) ? inner : allOf(inner, name),
  );
}

const textsOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Runs calls, ends the process, and returns what reached the collector meanwhile. */
async function record(
  args: readonly string[],
  calls: (client: ScriptedClient, folder: string) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
  program = PROGRAM,
): Promise<{ readonly spans: readonly Span[]; readonly text: string; readonly said: string }> {
  bodies.length = 0;
  const folder = makeFolder('secret-folder');
  const { PATH } = process.env;
  const connection = connectToProcess(process.execPath, {
    args: [program, ...args],
    cwd: folder,
    env: {
      PATH,
      HOME: makeFolder('home'),
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      ...environment,
    },
  });
  let said = '';
  connection.process.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const client = new ScriptedClient(connection, { roots: roots(folder) });
  await client.connect();
  await calls(client, folder);
  await client.close();
  await connection.exit;
  const spans = bodies
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => allOf(body, 'spans'));
  return { spans: spans as Span[], text: JSON.stringify(bodies), said };
}

/** A process leaves within a second, and one that got no processor then has not sent all of this: it is run again. */
async function recordAll(
  wanted: readonly string[],
  ...how: Parameters<typeof record>
): ReturnType<typeof record> {
  let recorded = await record(...how);
  for (let attempt = 2; attempt <= MAX_ATTEMPTS; attempt++) {
    if (wanted.every((each) => recorded.text.includes(each))) break;
    recorded = await record(...how);
  }
  return recorded;
}

const readTwice = async (client: ScriptedClient, folder: string): Promise<void> => {
  await client.callTool(
    'list_directory',
    { path: folder },
    { meta: { traceparent: `00-${TRACE}-${PARENT}-01` } },
  );
  await client.callTool('read_text_file', { path: '/etc/passwd' });
};

describe('OpenTelemetry', () => {
  test('gets a span of each call by the conventions for MCP, with its decisions, in the trace of the client', async () => {
    const { spans, text } = await recordAll(['/v1/traces', 'mcp.server.session.duration'], [], readTwice);
    expect(spans.map(({ name }) => name)).toEqual(['tools/call list_directory', 'tools/call read_text_file']);
    const [list, read] = spans;
    expect(list).toMatchObject({ kind: 2, traceId: TRACE, parentSpanId: PARENT });
    expect(textsOf(list?.attributes ?? [])).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'list_directory',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'pipe',
      'mcp.protocol.version': '2025-11-25',
      'mcp.session.id': expect.stringMatching(/^[\da-f-]{36}$/),
      'jsonrpc.request.id': expect.any(String),
    });
    expect(textsOf(read?.attributes ?? [])).toMatchObject({ 'error.type': 'tool_error' });
    expect(read?.status.code).toBe(2);
    expect(read?.events.map(({ name, attributes }) => [name, textsOf(attributes)])).toEqual([
      ['rootward.decision', { 'rootward.decision': 'refused', 'rootward.reason': 'outside-roots' }],
    ]);
    const metrics = bodies
      .filter(({ path }) => path === '/v1/metrics')
      .flatMap(({ body }) => allOf(body, 'metrics') as { name: string }[]);
    const names = metrics.map(({ name }) => name);
    for (const name of ['mcp.server.operation.duration', 'mcp.server.session.duration', 'rootward.decisions'])
      expect(names).toContain(name);
    // No path leaves the machine, not even as an argument of the process.
    expect(text).not.toMatch(/secret-folder|passwd|\/tmp|\/home/);
    expect(text).toContain('"rootward"');
  });

  test('has paths where the operator asked for them', async () => {
    const { spans } = await recordAll(['/v1/traces'], ['--telemetry-paths'], readTwice);
    expect(textsOf(spans[1]?.events[0]?.attributes ?? [])).toMatchObject({ 'rootward.path': '/etc/passwd' });
  });

  test('gets the calls of a wrapped server', async () => {
    const { spans } = await recordAll(
      ['/v1/traces'],
      ['wrap', '--hide-tools', 'crash', '--', process.execPath, INNER],
      async (client) => {
        await client.callTool('where');
        await client.callTool('crash');
      },
    );
    expect(spans.map(({ name, status }) => [name, status.code ?? 0])).toEqual([
      ['tools/call where', 0],
      ['tools/call crash', 2],
    ]);
  });

  test('gets nothing where no endpoint is set or it is switched off', async () => {
    const off = await record([], readTwice, { OTEL_EXPORTER_OTLP_ENDPOINT: '' });
    const disabled = await record([], readTwice, { OTEL_SDK_DISABLED: 'true' });
    expect([...off.spans, ...disabled.spans]).toEqual([]);
    expect(bodies).toEqual([]);
  });

  test('is warned of where the SDK is not installed, and serving goes on', async () => {
    const alone = makeFolder('alone');
    const dist = dirname(PROGRAM);
    for (const name of readdirSync(dist))
      if (name.endsWith('.cjs')) copyFileSync(join(dist, name), join(alone, name));
    const answers: string[] = [];
    const { said } = await record(
      [],
      async (client, folder) => {
        answers.push(JSON.stringify(await client.callTool('list_directory', { path: folder })));
      },
      {},
      join(alone, 'rootward.cjs'),
    );
    expect(answers[0]).not.toContain('"isError":true');
    expect(said).toContain('install @opentelemetry/sdk-node');
    expect(bodies).toEqual([]);
  });
});
