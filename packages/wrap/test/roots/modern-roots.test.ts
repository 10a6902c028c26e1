import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PreparedWorkspace } from '@rootward/mcp/host';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { eventually } from '../../../../testing/eventually.js';
import { ModernRoots } from '../../src/roots/modern-roots.js';

test('ModernRoots waits a minute for a client that does not come back, and asks again with the next call', async () => {
  const clock = new FakeClock();
  const home = join(tmpdir(), 'no-such-home');
  const prepared = new PreparedWorkspace({ environment: {}, home, hints: false, clock });
  const given: AbortSignal[] = [];
  const port = {
    ask: (signal: AbortSignal): Promise<never> => {
      given.push(signal);
      return new Promise(() => undefined);
    },
  };
  const roots = await ModernRoots.open(prepared, 'local', port, () => undefined);
  roots.declare({ roots: true, listChanged: false, clientInfo: undefined });
  for (const asked of [1, 2]) {
    const call = roots.forCall(undefined, true);
    await eventually(() => expect(given).toHaveLength(asked));
    clock.advance(60_000);
    expect(await call).toEqual([]);
    expect(given.at(-1)?.aborted).toBe(true);
    clock.advance(1000);
  }
  roots.dispose();
});
