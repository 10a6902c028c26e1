import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { rootAt } from '../history/fixtures/disk.js';

const EDITOR = fileURLToPath(new URL('editor.mjs', import.meta.url));
/** The long version is `npm run soak -- history`. */
const EDITORS = Number(process.env['ROOTWARD_EDITORS'] ?? 8);
const EDITS = 20;

test.each(['folder', 'file'] as const)(
  'many processes that edit lines of one file lose no edit, and leave no lock: a root that is a %s',
  async (kind) => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-editors-')));
    onTestFinished(() => rmSync(top, { recursive: true, force: true }));
    const path = join(top, 'work.txt');
    const names = Array.from({ length: EDITORS }, (_, index) => `editor ${index}`);
    writeFileSync(path, names.map((name) => `${name}: 0\n`).join(''));
    const root = kind === 'folder' ? rootAt(top) : rootAt(path, { kind: 'file' });
    const env = { ...process.env, XDG_STATE_HOME: join(top, 'state') };
    const editors = names.map((name) =>
      fork(EDITOR, [JSON.stringify({ root, path, name, edits: EDITS })], { env }),
    );
    const ended = editors.map((editor) => once(editor, 'exit'));
    await Promise.all(editors.map((editor) => once(editor, 'message')));
    for (const editor of editors) editor.send('go');
    expect((await Promise.all(ended)).map(([code]) => code as number)).toEqual(names.map(() => 0));
    expect(readFileSync(path, 'utf8')).toBe(names.map((name) => `${name}: ${EDITS}\n`).join(''));
    expect(readdirSync(join(top, 'state', 'rootward', 'locks'))).toEqual([]);
  },
);
