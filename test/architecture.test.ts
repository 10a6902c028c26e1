import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const top = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(`${top}ARCHITECTURE.md`, 'utf8');
const [, walks = ''] = page.split('## Three walks');
const named = (text: string): readonly string[] =>
  [...text.matchAll(/`(packages\/[^`]+\.ts)`/g)].map(([, file]) => file!);

test('ARCHITECTURE.md walks through files that exist', () => {
  expect(named(walks).length).toBeGreaterThan(15);
  expect(named(walks).filter((file) => !existsSync(top + file))).toEqual([]);
});

/** What no file above imports: the SDK calls the first two, the workspace the last. The walks say so. */
const CALLED_BACK: ReadonlySet<string> = new Set([
  'packages/mcp/src/hooks/add-workspace.ts',
  'packages/server/src/tools/register-tools.ts',
  'packages/lsp/src/pool/shared-language-servers.ts',
]);

/** The files that a file imports, and the names of packages. */
function importsOf(file: string): readonly string[] {
  const specifiers = readFileSync(top + file, 'utf8').matchAll(/(?:from |import\()'([^']+)'/g);
  return [...specifiers].map(([, each = '']) =>
    each.startsWith('.') ? posix.join(posix.dirname(file), each.replace(/\.js$/, '.ts')) : each,
  );
}

test.each(
  walks
    .split('\n## ', 1)[0]!
    .split('\n### ')
    .slice(1)
    .map((walk) => [walk.split('\n', 1)[0]!, named(walk)] as const),
)('ARCHITECTURE.md walks in one direction: %s', (_, files) => {
  const lost = files.filter((file, index) => {
    if (index === 0 || CALLED_BACK.has(file)) return false;
    const above = new Set(files.slice(0, index).flatMap(importsOf));
    const entry = `@rootward/${file.split('/')[1]}`;
    const isOtherPackage = !files[index - 1]!.startsWith(`${file.split('/', 2).join('/')}/`);
    return !above.has(file) && !(isOtherPackage && above.has(entry));
  });
  expect(files.length).toBeGreaterThan(5);
  expect(lost).toEqual([]);
});

test('ARCHITECTURE.md names all folders, and only those that exist', () => {
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
  const there = readdirSync(`${top}packages`).flatMap((name) => {
    const source = `packages/${name}/src`;
    if (!existsSync(top + source)) return [];
    const entries = readdirSync(top + source, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => `${source}/${entry.name}/`);
  });
  expect(there.filter((each) => !folders.includes(each))).toEqual([]);
});

test('CONTRIBUTING.md names files that exist', () => {
  const guide = readFileSync(`${top}CONTRIBUTING.md`, 'utf8');
  const files = [...guide.matchAll(/`((?:packages|docs|scripts|test|bench)\/[^`<*]+)`/g)].map(
    ([, file]) => file!,
  );
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !existsSync(top + file))).toEqual([]);
});
