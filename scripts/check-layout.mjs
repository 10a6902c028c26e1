// Fails where files, or the folders they are in, import each other in a circle (`import type` and `import()` count), and
// where a file is too large.
// usage: node scripts/check-layout.mjs [FOLDER…]   (default: the whole repository)
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_LINES = 500;
const CODE = /\.(?:[cm]?[jt]s|tsx|css|py|sh|c)$/;
const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', '.git']);
const SPECIFIER = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;

/** The files that each file below a folder imports, by path. */
function readImports(folder) {
  const imports = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const targets = [...readFileSync(file, 'utf8').matchAll(SPECIFIER)]
      .map(([, , specifier]) => path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts')))
      .filter((target) => target !== file && existsSync(target));
    imports.set(file, new Set(targets));
  }
  return imports;
}

/**
 * The same for folders: a folder imports another when one of its files does. A file at the top and an `index.ts` are
 * rooms of their own: entries, which import everything, stand beside leaves, which import nothing.
 */
function foldersOf(imports, top) {
  const isRoom = (file) => path.dirname(file) === top || path.basename(file) === 'index.ts';
  const roomOf = (file) => (isRoom(file) ? file : path.dirname(file));
  const rooms = new Map();
  for (const [file, targets] of imports) {
    const room = roomOf(file);
    const others = rooms.get(room) ?? new Set();
    rooms.set(room, others);
    for (const target of targets) if (roomOf(target) !== room) others.add(roomOf(target));
  }
  return rooms;
}

/** A circle, as the names on the way; undefined where there is none. */
function findCircle(graph) {
  const done = new Set();
  const way = [];
  const visit = (node) => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return undefined;
    way.push(node);
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next);
      if (circle !== undefined) return circle;
    }
    way.pop();
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = visit(node);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

/** What is too large in a folder and all below it, in sentences. */
function findTooLarge(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && CODE.test(entry.name));
  const found = files.flatMap(({ name }) => {
    const lines = readFileSync(path.join(folder, name), 'utf8').split('\n').length - 1;
    const file = path.relative(repository, path.join(folder, name));
    return lines > MAX_LINES ? [`${file} has ${lines} lines; the limit is ${MAX_LINES}`] : [];
  });
  const below = entries.filter((entry) => entry.isDirectory() && !NOT_OURS.has(entry.name));
  return [...found, ...below.flatMap(({ name }) => findTooLarge(path.join(folder, name)))];
}

/** Names a circle on stderr. */
function reportCircle(what, graph) {
  const circle = findCircle(graph);
  if (circle === undefined) return false;
  const steps = circle.map((each) => path.relative(repository, each));
  console.error(`These ${what} import each other in a circle:\n  ${steps.join('\n  -> ')}`);
  return true;
}

const repository = fileURLToPath(new URL('..', import.meta.url));
const packages = readdirSync(path.join(repository, 'packages')).map((name) => `packages/${name}/src`);
const named = process.argv.slice(2);
let failed = false;
for (const folder of named.length > 0 ? named : packages) {
  const top = path.resolve(repository, folder);
  if (!existsSync(top)) continue;
  const files = readImports(top);
  if (reportCircle('files', files)) failed = true;
  if (reportCircle('folders', foldersOf(files, top))) failed = true;
}
for (const folder of named.length > 0 ? named : ['.']) {
  for (const sentence of findTooLarge(path.resolve(repository, folder))) {
    console.error(sentence);
    failed = true;
  }
}
if (failed) process.exit(1);
console.log('No circular imports, and nothing too large.');
