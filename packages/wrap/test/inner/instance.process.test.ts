import { tmpdir } from 'node:os';
import { Deferred } from '@rootward/core/platform';
import { ChildRegistry } from '@rootward/mcp/host';
import { expect, test } from 'vitest';
import type { RootwardWrapError } from '../../src/error.js';
import { InnerEra } from '../../src/inner/era-bridge.js';
import { Instance } from '../../src/inner/instance.js';
import { RawMessage } from '../../src/wire/raw-message.js';

const LIST = RawMessage.from({ id: 0, method: 'tools/list' });

/** A server that has ended. */
async function endedInstance(): Promise<Instance> {
  const crashed = new Deferred<undefined>();
  const launch = {
    command: process.execPath,
    args: ['-e', ''],
    directory: tmpdir(),
    environment: process.env,
  };
  const instance = new Instance({
    launch,
    run: launch,
    roots: [],
    provisional: false,
    children: new ChildRegistry(),
    era: new InnerEra('legacy'),
    about: { name: 'node', sandbox: 'off' },
    events: {
      request: () => undefined,
      notification: () => undefined,
      noise: () => undefined,
      left: () => undefined,
      crashed: () => crashed.resolve(undefined),
      worked: () => undefined,
    },
  });
  await crashed.promise;
  return instance;
}

test('Instance.request() tells of a server that has ended once the caller knows the id', async () => {
  const instance = await endedInstance();
  const heard: string[] = [];
  const failure = new Deferred<RootwardWrapError>();
  const id = instance.request(LIST, {
    method: 'tools/list',
    answered: () => heard.push('answered'),
    failed: (error) => {
      heard.push('failed');
      failure.resolve(error);
    },
  });
  expect({ id, heard: [...heard], busy: instance.busy }).toEqual({ id: '1', heard: [], busy: true });
  expect(await failure.promise).toMatchObject({ code: 'ended' });
  expect({ heard, busy: instance.busy }).toEqual({ heard: ['failed'], busy: false });
});

test('Instance.request() tells nobody who has taken the request back', async () => {
  const instance = await endedInstance();
  const heard: string[] = [];
  const note = (name: string) => () => void heard.push(name);
  const first = instance.request(LIST, {
    method: 'tools/list',
    answered: note('answered'),
    failed: note('failed'),
  });
  instance.forget(first);
  await expect(instance.ask('tools/list', undefined)).rejects.toMatchObject({ code: 'ended' });
  expect(heard).toEqual([]);
});
