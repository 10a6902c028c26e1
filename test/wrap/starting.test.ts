import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { INNER, jsonOf, makeFolder, roots, wrap } from './fixtures/wrapped.js';

const NODE = process.execPath;

describe('a wrapped server', () => {
  test('is found by a path from where wrap was started, and starts in the first root', async () => {
    const [start, folder] = [makeFolder('start'), makeFolder('a')];
    copyFileSync(INNER, join(start, 'server.mjs'));
    const { client } = await wrap([NODE, 'server.mjs'], { cwd: start, roots: roots(folder) });
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: folder, pwd: folder });
  });

  test('that does not start in an empty folder is started where wrap was, and then in the first root', async () => {
    const [start, folder] = [makeFolder('start'), makeFolder('a')];
    for (const each of [start, folder]) writeFileSync(join(each, 'needed.txt'), '');
    const log = join(makeFolder('log'), 'folders.txt');
    const script = join(makeFolder('program'), 'server.mjs');
    writeFileSync(
      script,
      `import { appendFileSync, existsSync } from 'node:fs';
appendFileSync(${JSON.stringify(log)}, process.cwd() + '\\n');
if (!existsSync('needed.txt')) process.exit(3);
await import(${JSON.stringify(pathToFileURL(INNER).href)});
`,
    );
    const { client } = await wrap([NODE, script], { cwd: start, roots: roots(folder) });
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: folder });
    const folders = readFileSync(log, 'utf8').trim().split('\n');
    expect(folders).toContain(start);
    expect(folders.at(-1)).toBe(folder);
    expect(folders[0]).not.toBe(start);
  });
});
