import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.js';

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
