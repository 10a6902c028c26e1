import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../testing/eventually.js';
import { showProcess } from '../../src/serve/show-to-pages.js';
import { socketPath } from '../../src/watch/runtime-folder.js';

test.skipIf(process.platform === 'win32')(
  'a page that cannot be served only loses its connection',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rootward-pages-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const hooks: (() => void)[] = [];
    onTestFinished(() => {
      for (const hook of hooks) hook();
    });
    // Nothing that a page could be shown.
    const start = { environment: { XDG_RUNTIME_DIR: folder }, home: folder };
    showProcess({} as never, start, (hook) => hooks.push(hook));
    const path = socketPath(join(folder, 'rootward'), process.pid)!;
    for (let attempt = 0; attempt < 2; attempt++) {
      const page = await eventually(async () => {
        const socket = connect(path);
        await once(socket, 'connect');
        return socket;
      });
      await once(page.resume(), 'close');
    }
    expect(hooks).toHaveLength(2);
  },
);
