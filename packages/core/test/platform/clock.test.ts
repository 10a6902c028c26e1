import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock, systemTimers } from '../../src/platform/clock.js';

test('systemClock calls back once, unless cleared', async () => {
  const fired: string[] = [];
  const cleared = systemClock.setTimeout(() => fired.push('cleared'), 1);
  cleared.clear();
  await new Promise<void>((resolve) => {
    // Nothing else may keep the worker alive while an unreferenced timer runs.
    const hold = setInterval(() => {}, 1_000);
    systemClock.setTimeout(() => {
      clearInterval(hold);
      fired.push('fired');
      resolve();
    }, 5);
  });
  expect(fired).toEqual(['fired']);
});

/** Both ends of a connection: what one writes has arrived at the other at once. */
async function connection(): Promise<{ near: Socket; far: Socket; close: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'rootward-clock-'));
  const server = createServer().listen(join(folder, 'socket'));
  await once(server, 'listening');
  const near = connect(join(folder, 'socket'));
  const [far] = (await once(server, 'connection')) as [Socket];
  const close = (): void => {
    near.destroy();
    far.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { near, far, close };
}

test.runIf(process.platform !== 'win32').each([
  ['systemClock', systemClock],
  ['systemTimers', systemTimers],
])('%s reads what has arrived before it says that the time is over', async (_name, clock) => {
  const { near, far, close } = await connection();
  far.write('hello');
  await once(near, 'data');
  const seen: string[] = [];
  const over = new Promise<void>((resolve) => {
    clock.setTimeout(() => {
      seen.push('over');
      resolve();
    }, 10);
  });
  const cleared = clock.setTimeout(() => seen.push('cleared'), 10);
  near.on('data', () => {
    seen.push('answer');
    cleared.clear();
  });
  far.write('answer');
  // This process gets no processor until the limit is over.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
  await over;
  close();
  expect(seen).toEqual(['answer', 'over']);
});

test('systemClock never goes backwards and is close to the time of day', () => {
  const first = systemClock.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(first);
  expect(Math.abs(first - Date.now())).toBeLessThan(3_600_000);
});

test('a workspace that still waits for its client does not keep the process alive', () => {
  const core = new URL('../../dist/index.js', import.meta.url).href;
  const script = `
    import { createWorkspace } from '${core}';
    const workspace = await createWorkspace({
      environment: {}, home: '/nowhere', port: { ask: () => new Promise(() => {}) },
    });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    void workspace.ready();
    console.log(workspace.snapshot().client);
  `;
  const args = ['--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 200_000 })).toBe('pending\n');
});
