import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { rootAt, scopeOf, useTree } from './fixture.js';

const WRITER = fileURLToPath(new URL('kill-writer.mjs', import.meta.url));
const KILLS = Number(process.env['ROOTWARD_KILLS'] ?? 10);
const tree = useTree();

/** Small files are written by one blocking call, large ones in pieces through the thread pool: both can be cut off. */
test.each([1024, 3 * 1024 * 1024])(
  'Scope.write() killed with SIGKILL leaves the old or the new content of %i bytes, and the next write tidies up',
  async (size) => {
    tree().make({ 'file.txt': '0'.repeat(size) });
    chmodSync(tree().in('file.txt'), 0o640);
    for (let kill = 0; kill < KILLS; kill++) {
      const writer = fork(WRITER, [JSON.stringify(rootAt(tree().inside)), String(size)]);
      await once(writer, 'message');
      // Not a wait for anything to happen: the moment of the kill is what is varied.
      await wait(Math.random() * 20);
      const gone = once(writer, 'exit');
      writer.kill('SIGKILL');
      await gone;
      const text = readFileSync(join(tree().inside, 'file.txt'), 'utf8');
      expect(text).toHaveLength(size);
      // Not toBe(): of a difference it would show megabytes.
      expect(text === text.charAt(0).repeat(size)).toBe(true);
      expect(statSync(tree().in('file.txt')).mode & 0o777).toBe(0o640);
    }
    await scopeOf(tree().inside).write('file.txt', 'done');
    expect(readdirSync(tree().inside)).toEqual(['file.txt']);
    expect(tree().text('file.txt')).toBe('done');
  },
);
