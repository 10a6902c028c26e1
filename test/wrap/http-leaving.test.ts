import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { openSession, startWrapped } from './fixtures/http.js';
import { INNER, makeFolder } from './fixtures/wrapped.js';

test('wrap --http answers calls under way before it leaves, with a stream open', async () => {
  const folder = makeFolder('work');
  const server = await startWrapped(['--root', folder], [process.execPath, INNER], {
    atEnd: onTestFinished,
  });
  const { url } = server;
  const { post, headers } = await openSession(url);
  const stream = await fetch(url, { headers });
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  const [path, marker] = [join(folder, 'gate'), join(folder, 'under-way')];
  const call = post('tools/call', { name: 'wait', arguments: { path, write: marker } });
  await eventually(() => expect(existsSync(marker)).toBe(true));

  const ready = new URL('/readyz', url);
  expect((await fetch(ready)).status).toBe(200);
  server.process.kill('SIGTERM');
  await eventually(async () => expect((await fetch(ready)).status).toBe(503));
  const late = await post('x/late');
  expect(await late.text()).toContain('"result"');
  expect(late.headers.get('connection')).toBe('close');

  writeFileSync(path, '');
  expect(await (await call).text()).toContain(`waited in ${folder}`);
  expect(await server.exit).toBe(0);
});
