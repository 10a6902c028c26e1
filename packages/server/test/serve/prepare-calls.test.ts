import { McpServer } from '@modelcontextprotocol/server';
import { nextTurn } from '@rootward/core/platform';
import { expect, test, vi } from 'vitest';
import { beforehand, prepareCalls } from '../../src/serve/prepare-calls.js';

interface Codec {
  readonly validateRequest: (method: string, raw: unknown) => { readonly ok: boolean };
  readonly validateResult: (method: string, raw: unknown) => { readonly ok: boolean };
}

test('prepareCalls() finds where the SDK makes the schemas of a call and of its result', () => {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  const codecOf = Reflect.get(server.server, '_negotiatedWireCodec') as () => Codec;
  const codec = Reflect.apply(codecOf, server.server, []);
  const spies = [vi.spyOn(codec, 'validateRequest'), vi.spyOn(codec, 'validateResult')];
  prepareCalls(server);
  for (const spy of spies) {
    expect(spy.mock.calls.map(([method]) => method)).toEqual(['tools/call']);
    expect(spy.mock.results[0]?.value).toMatchObject({ ok: true });
    spy.mockRestore();
  }
});

test('beforehand() lets what is under way go first, and leaves it to the call to say what is wrong', async () => {
  const steps: string[] = [];
  beforehand(() => {
    steps.push('beforehand');
    throw new Error('Cannot prepare');
  });
  await Promise.resolve();
  steps.push('under way');
  await nextTurn();
  expect(steps).toEqual(['under way', 'beforehand']);
});
