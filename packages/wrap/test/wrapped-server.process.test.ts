import { OperatorLimits, type Root } from '@rootward/core';
import { Deferred } from '@rootward/core/platform';
import { expect, onTestFinished, test } from 'vitest';
import type { Launch, Run } from '../src/inner/launch.js';
import { WrappedServer } from '../src/wrapped-server.js';
import { serverScript } from './fixtures/server-script.js';
import { wrapScript } from './fixtures/wrap-script.js';
import { temporaryFolder } from '../../../testing/temporary-folders.js';

/** Answers every call with the folder it runs in. */
const WHERE = serverScript(`
  let told = false;
  serve((message) => {
    const { id, method, params } = message;
    if (method === 'initialize') introduce(message, {});
    else if (method === 'tools/list') send({ id, result: { tools: [{ name: process.cwd(), asked: told }] } });
    else if (params?.name === 'more') { told = true; send({ method: 'notifications/tools/list_changed' }); send({ id, result: {} }); }
    else if (params?.name === 'who') send({ id, result: process.pid });
    else if (id !== undefined) send({ id, result: process.cwd() });
  });`);

function makeRoot(): Root {
  const { top: path } = temporaryFolder('wrapped');
  const root: Pick<Root, 'path' | 'kind' | 'access'> = { path, kind: 'directory', access: 'read-write' };
  return root as Root;
}

function wrapped(contain: (launch: Launch) => Promise<Run>, limits = new OperatorLimits()): WrappedServer {
  const server = new WrappedServer({
    ...wrapScript(WHERE),
    contain,
    limits,
  });
  onTestFinished(() => server.close());
  return server;
}

const call = (server: WrappedServer, root: Root, principal?: string, name = 'where'): Promise<unknown> =>
  server.call(
    name,
    {},
    { roots: [root], signal: new AbortController().signal, ...(principal && { principal }) },
  );

test('WrappedServer makes each call in its own folders, also while the sandbox of another is being made', async () => {
  const made = new Deferred();
  const server = wrapped(async (launch) => (await made.promise, launch));
  const [one, other] = [makeRoot(), makeRoot()];
  const calls = [call(server, one), call(server, other), call(server, one)];
  made.resolve();
  expect(await Promise.all(calls)).toEqual([one.path, other.path, one.path]);
});

test('WrappedServer does not make a call whose folder the operator takes away before its server is there', async () => {
  const limits = new OperatorLimits();
  const [made, asked] = [new Deferred(), new Deferred()];
  const server = wrapped(async (launch) => (asked.resolve(), await made.promise, launch), limits);
  const root = makeRoot();
  const calling = call(server, root);
  await asked.promise;
  limits.set(root.path, 'revoked');
  made.resolve();
  await expect(calling).rejects.toThrow('the operator took a folder away');
});

test('WrappedServer has a server for each principal, also in the same folders', async () => {
  const server = wrapped((launch) => Promise.resolve(launch));
  const root = makeRoot();
  const who = (principal?: string): Promise<unknown> => call(server, root, principal, 'who');
  const [one, other, nobody] = [await who('one'), await who('other'), await who()];
  expect(new Set([one, other, nobody]).size).toBe(3);
  expect([await who('one'), await who('other'), await who()]).toEqual([one, other, nobody]);
});

test('WrappedServer offers nobody what the server of somebody else offers', async () => {
  const server = wrapped((launch) => Promise.resolve(launch));
  await server.open();
  const [first, other] = [makeRoot(), makeRoot()];
  const listed = new Deferred();
  server.onDidChangeTools(() => listed.resolve());
  await call(server, first, 'one');
  await listed.promise;
  expect(server.tools).toEqual([{ name: first.path, asked: false }]);
  await call(server, first, 'one', 'more');
  await call(server, other, 'other', 'more');
  // Calls without a principal are made where the tools are looked up.
  await call(server, first);
  expect(server.tools).toEqual([{ name: first.path, asked: false }]);
});
