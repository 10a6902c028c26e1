import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { IconReader } from '../../../src/exec/project/icons.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-icons-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const project = join(top, 'project');
mkdirSync(join(project, 'tools'), { recursive: true });
writeFileSync(join(top, 'secret.svg'), 'secret');
writeFileSync(join(project, 'icon.png'), Buffer.of(1, 2));
writeFileSync(join(project, 'large.png'), Buffer.alloc(65 * 1024));
symlinkSync(join(top, 'secret.svg'), join(project, 'link.svg'));

test('IconReader.read() makes addresses of files of the project, and of nothing else', async () => {
  const said: string[] = [];
  const reader = new IconReader(project, (_file, field, message) => {
    said.push(`${field}: ${message}`);
    return undefined;
  });
  const place = { file: 'tool.meta.json', folder: join(project, 'tools') };
  const sources = ['../icon.png', 'data:,x', 'https://example.com/i.png', '../../secret.svg', '../link.svg'];
  const icons = await reader.read(
    [...sources.map((src) => ({ src, theme: 'dark' })), { src: '../large.png' }, { src: 'none.png' }, 'text'],
    place,
  );
  expect(icons).toEqual([
    { src: 'data:image/png;base64,AQI=', mimeType: 'image/png', theme: 'dark' },
    { src: 'data:,x', theme: 'dark' },
    { src: 'https://example.com/i.png', theme: 'dark' },
  ]);
  expect(said).toEqual([
    'icons: ../../secret.svg leads outside the project',
    'icons: ../link.svg leads outside the project',
    'icons: ../large.png has more than 65536 bytes',
    `icons: ${join(project, 'tools/none.png')} cannot be read`,
    'icons: each must be an object with src',
  ]);
  expect([...reader.files]).toEqual([join(project, 'icon.png')]);
  expect(await reader.read('icon.png', place)).toBeUndefined();
  expect(said.at(-1)).toBe('icons: it must be a list of objects with src');
});
