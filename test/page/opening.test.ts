import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { PROGRAM } from '../server/fixtures/rootward.js';
import { Place } from './fixtures/ui.js';

interface Opening {
  /** Where the page is. */
  readonly address: string;
  /** Gets the address that a browser is told to open. */
  readonly opened: string;
  /** Presses Ctrl+C. Resolves to the exit code and signal. */
  readonly end: () => Promise<unknown>;
}

/** `rootward ui` on a machine whose browser only notes down what it is told to open. */
async function startUi(...flags: readonly string[]): Promise<Opening> {
  const place = new Place();
  const [bin, opened] = [join(place.project, 'bin'), join(place.project, 'opened.txt')];
  mkdirSync(bin);
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 });
  }
  const child = spawn(process.execPath, [PROGRAM, 'ui', '--port', '0', ...flags], {
    env: { ...place.environment, ROOTWARD_PROGRAM_FOLDERS: bin },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await eventually(() => expect(said).toContain('Ctrl+C'));
  const end = (): Promise<unknown> => {
    child.kill('SIGINT');
    return ended;
  };
  return { address: /http:\S+/.exec(said)?.[0] ?? '', opened, end };
}

describe.runIf(process.platform !== 'win32')('rootward ui', () => {
  test('opens no browser by itself, and ends with Ctrl+C', async () => {
    const { address, opened, end } = await startUi();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#.+/);
    expect(await end()).toEqual([0, null]);
    expect(existsSync(opened)).toBe(false);
  });

  test('--open opens its address', async () => {
    const { address, opened, end } = await startUi('--open');
    await eventually(() => expect(readFileSync(opened, 'utf8')).toBe(address));
    expect(await end()).toEqual([0, null]);
  });
});
