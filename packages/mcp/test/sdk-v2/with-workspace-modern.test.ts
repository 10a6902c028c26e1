import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { expect, test } from 'vitest';
import { withWorkspace } from '../../src/index.js';
import {
  answering,
  answeringWith,
  connectInProcess,
  refusing,
  ScriptedClient,
  silent,
} from '../../src/testing/index.js';
import { BARE, connect, reader, text, textOf } from '../fixtures/in-process-server.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a', 'b', 'operator');
const A = [{ uri: roots.uri('a') }];

test.each([
  ['is missing', refusing()],
  ['is nonsense', answeringWith('nonsense')],
  ['is a list of nonsense', answeringWith({ roots: [1, null] })],
  ['is not a list', answeringWith({ roots: {} })],
  ['is of another kind', answeringWith({ action: 'accept' })],
])('a modern retry whose answer %s is not asked again', async (_, script) => {
  const client = connect(
    reader,
    { era: 'modern', roots: script },
    { ...BARE, roots: [roots.path('operator')] },
  );
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([roots.path('operator')]));
  expect(client.asked).toHaveLength(1);
  await client.close();
});

test('a modern retry that answers under another key is not asked again', async () => {
  const client = connect(reader, { era: 'modern', roots: silent });
  const inputResponses = { other: { roots: A } };
  const result = await client.request('tools/call', { name: 'roots', inputResponses });
  expect(textOf(result)).toBe('[]');
  await client.close();
});

test('a modern answer of [] leaves operator roots, never hints', async () => {
  const environment = { CLAUDE_PROJECT_DIR: roots.path('b') };
  const client = connect(reader, { era: 'modern', roots: answering([]) }, { ...BARE, environment });
  expect(textOf(await client.callTool('roots'))).toBe('[]');
  await client.close();
  const undeclared = connect(reader, { era: 'modern' }, { ...BARE, environment });
  expect(textOf(await undeclared.callTool('roots'))).toBe(JSON.stringify([roots.path('b')]));
  await undeclared.close();
});

test('a handler that catches everything cannot swallow the question for roots', async () => {
  const client = connect(
    (server) =>
      server.registerTool('careful', {}, async (ctx) => {
        try {
          return text((await ctx.workspace.roots()).length);
        } catch {
          return text('caught');
        }
      }),
    { era: 'modern', roots: answering(A) },
  );
  expect(textOf(await client.callTool('careful'))).toBe('1');
  await client.close();
});

test('a handler that fails while its question is open does not end the process', async () => {
  const client = connect(
    (server) =>
      server.registerTool('hasty', {}, async (ctx) => {
        void ctx.workspace.project();
        const asking = ctx.workspace.scope();
        await Promise.reject(new Error('something else went wrong'));
        return text((await asking).guarantee('readText'));
      }),
    { era: 'modern', roots: answering([]) },
  );
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listen);
  expect(textOf(await client.callTool('hasty'))).toBe('something else went wrong');
  await client.close();
  process.off('unhandledRejection', listen);
  expect(unhandled).toEqual([]);
});

test.each([
  ['roots first', true],
  ['its own question first', false],
])('a modern handler may ask for input of its own, %s', async (_, rootsFirst) => {
  const confirm = z.object({ ok: z.boolean() });
  const connection = connectInProcess();
  serveStdio(
    () => {
      const server = withWorkspace(new McpServer({ name: 's', version: '1.0.0' }), BARE);
      server.registerTool('both', {}, async (ctx): Promise<CallToolResult | InputRequiredResult> => {
        if (rootsFirst) await ctx.workspace.roots();
        const answer = acceptedContent(ctx.mcpReq.inputResponses, 'confirm', confirm);
        if (answer === undefined) {
          const question = inputRequired.elicit({ message: 'Sure?', requestedSchema: confirm });
          return inputRequired({ inputRequests: { confirm: question } });
        }
        return text({ ok: answer.ok, roots: (await ctx.workspace.roots()).length });
      });
      return server;
    },
    { transport: connection.transport },
  );
  const client = new ScriptedClient(connection, {
    era: 'modern',
    declareRoots: true,
    capabilities: { elicitation: {} },
  });
  const answers: Record<string, unknown> = {
    roots: { roots: A },
    confirm: { action: 'accept', content: { ok: true } },
  };
  const rounds: string[][] = [];
  let result = await client.request('tools/call', { name: 'both' });
  while (result['resultType'] === 'input_required') {
    const keys = Object.keys(result['inputRequests'] as object);
    rounds.push(keys);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, answers[key]]));
    result = await client.request('tools/call', { name: 'both', inputResponses });
  }
  expect(textOf(result)).toBe('{"ok":true,"roots":1}');
  // Where its own question comes first, its answer is gone by the time roots are there, and is asked for again.
  expect(rounds).toEqual(
    rootsFirst ? [['roots'], ['confirm', 'roots']] : [['confirm'], ['roots'], ['confirm', 'roots']],
  );
  await client.close();
});

test('nothing is kept between modern requests: two clients share one connection', async () => {
  const connection = connectInProcess();
  serveStdio(
    () => {
      const server = withWorkspace(new McpServer({ name: 's', version: '1.0.0' }), BARE);
      reader(server);
      return server;
    },
    { transport: connection.transport },
  );
  const client = new ScriptedClient(connection, { era: 'modern', roots: silent });
  const ask = (name: 'a' | 'b') =>
    client.request('tools/call', {
      name: 'roots',
      inputResponses: { roots: { roots: [{ uri: roots.uri(name) }] } },
    });
  const seen = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => textOf(await ask(i % 2 === 0 ? 'a' : 'b'))),
  );
  expect(seen).toEqual(seen.map((_, i) => JSON.stringify([roots.path(i % 2 === 0 ? 'a' : 'b')])));
  expect(await client.request('tools/call', { name: 'roots' })).toMatchObject({
    resultType: 'input_required',
  });
  await client.close();
});
