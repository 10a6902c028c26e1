// What each package exports, from the types that are published: the name, and what its doc comment begins with.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { code, plain, table } from './markdown.mjs';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));

/** Everything people import, except data. */
const ENTRIES = {
  '@rootward/core': 'core/dist/index.d.ts',
  '@rootward/core/history': 'core/dist/history/index.d.ts',
  '@rootward/core/platform': 'core/dist/platform/index.d.ts',
  '@rootward/mcp': 'mcp/dist/index.d.ts',
  '@rootward/mcp/v1': 'mcp/dist/sdk-v1/index.d.ts',
  '@rootward/mcp/testing': 'mcp/dist/testing/index.d.ts',
  '@rootward/mcp/redis': 'mcp/dist/redis.d.ts',
  '@rootward/mcp/host': 'mcp/dist/host.d.ts',
  '@rootward/lsp': 'lsp/dist/index.d.ts',
  '@rootward/sandbox': 'sandbox/dist/index.d.ts',
  '@rootward/syntax': 'syntax/dist/index.d.ts',
  '@rootward/wrap': 'wrap/dist/index.d.ts',
  'rootward/tool': 'server/dist/tool-library/index.d.ts',
};

/** Every name an entry exports, in its order, with its kind and its doc comment; the comment is empty where there is none. */
function exportsOf(entry) {
  const index = join(packages, ENTRIES[entry]);
  const lines = readFileSync(index, 'utf8').matchAll(/^export (?:type )?\{([^}]+)\} from '(.+)\.js';$/gm);
  return [...lines].flatMap(([, names, from]) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => declarationOf(name, join(dirname(index), `${from}.d.ts`))),
  );
}

function declarationOf(name, file) {
  const declaration = String.raw`^export (?:declare )?(class|function|const|interface|type) ${name}\b`;
  const pattern = new RegExp(String.raw`(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?${declaration}`, 'm');
  const found = pattern.exec(readFileSync(file, 'utf8'));
  if (found === null) throw new Error(`${file} does not declare ${name}`);
  const [, comment = '', kind] = found;
  return { name, kind, file, comment: textOf(comment) };
}

/** A doc comment without its stars. */
function textOf(comment) {
  return comment.replaceAll(/^\s*\* ?/gm, '').trim();
}

/** The end of the first sentence: a stop before a capital, which is none inside of code. */
function firstSentence(comment) {
  return /^[^]*?\.(?=\s+[A-Z`]|\s*$)/.exec(comment)?.[0] ?? comment;
}

function isType({ kind }) {
  return kind === 'interface' || kind === 'type';
}

/** The exports of an entry: what can be called first, then the types. Leaves out what is the same in another entry. */
export function apiTable(entry, other) {
  const known = new Map(
    other === undefined ? [] : exportsOf(other).map(({ name, comment }) => [name, comment]),
  );
  const own = exportsOf(entry).filter(({ name, comment }) => known.get(name) !== comment);
  const rows = [...own.filter((each) => !isType(each)), ...own.filter(isType)].map(
    ({ name, kind, comment }) => {
      if (comment === '') throw new Error(`${entry} exports ${name} without a doc comment`);
      return [code(name), kind === 'interface' ? 'type' : kind, plain(firstSentence(comment))];
    },
  );
  return table(['export', 'is a', 'what it is for'], rows);
}

/** The methods of an exported class. */
export function methodTable(entry, name) {
  const { file } = exportsOf(entry).find((each) => each.name === name);
  const [body] = new RegExp(`^export declare class ${name}\\b[^]*?^}`, 'm').exec(readFileSync(file, 'utf8'));
  const methods = body.matchAll(/(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?^ {4}(\w+)(?:<\w+>)?\(/gm);
  const rows = [...methods]
    .filter(([, , method]) => method !== 'constructor')
    .map(([, comment, method]) => {
      if (comment === undefined) throw new Error(`${name}.${method}() has no doc comment`);
      return [code(`${method}()`), plain(firstSentence(textOf(comment)))];
    });
  return table(['method', 'what it does'], rows);
}
