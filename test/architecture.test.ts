import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const top = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(`${top}ARCHITECTURE.md`, 'utf8');
const [, walks = ''] = page.split('## Three walks');
const named = [...walks.matchAll(/`(packages\/[^`]+\.ts)`/g)].map(([, file]) => file!);

test('ARCHITECTURE.md walks through files that exist', () => {
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((file) => !existsSync(top + file))).toEqual([]);
});

test('ARCHITECTURE.md names folders that exist', () => {
  const [house = ''] = page.split('## The flow');
  let folder = '';
  const folders: string[] = [];
  for (const line of house.split('\n')) {
    const [, name] = /^ {2}(\w+)\/ +(?:@rootward\/|rootward)/.exec(line) ?? [];
    if (name !== undefined) folders.push((folder = `packages/${name}`));
    if (/^ {4}src\//.test(line)) {
      for (const [source] of line.matchAll(/src\/[\w-]+\//g)) folders.push(`${folder}/${source}`);
    }
  }
  expect(folders.length).toBeGreaterThan(25);
  expect(folders.filter((each) => !existsSync(top + each))).toEqual([]);
});

test('CONTRIBUTING.md names files that exist', () => {
  const guide = readFileSync(`${top}CONTRIBUTING.md`, 'utf8');
  const files = [...guide.matchAll(/`((?:packages|docs|scripts|test|bench)\/[^`<*]+)`/g)].map(
    ([, file]) => file!,
  );
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !existsSync(top + file))).toEqual([]);
});
