// Where the version of a release stands, and what it becomes there.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

export function isVersion(text) {
  return VERSION.test(text);
}

/** The packages that are published, in the order of their folders. */
export function publicPackages(repository) {
  return readdirSync(join(repository, 'packages'))
    .map((name) => join('packages', name, 'package.json'))
    .filter((file) => existsSync(join(repository, file)))
    .map((file) => ({ file, manifest: JSON.parse(readFileSync(join(repository, file), 'utf8')) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/** The version all of them have; throws where they disagree. */
export function currentVersion(packages) {
  const [first, ...others] = packages;
  const odd = others.find(({ manifest }) => manifest.version !== first.manifest.version);
  if (odd === undefined) return first.manifest.version;
  throw new Error(
    `${odd.file} has version ${odd.manifest.version}, and ${first.file} has ${first.manifest.version}: give them the same`,
  );
}

/** Every file that has the version, with the text it gets. Only whole versions between quotes are replaced. */
export function withVersion(repository, packages, from, to) {
  const names = new Set(packages.map(({ manifest }) => manifest.name));
  const files = new Map();
  const replace = (file, pattern, replacement) => {
    const text = readFileSync(join(repository, file), 'utf8');
    const replaced = text.replaceAll(pattern, replacement);
    if (!new RegExp(pattern).test(text))
      throw new Error(`${file} does not have version ${from}: set it by hand`);
    files.set(file, replaced);
  };
  const quoted = from.replaceAll('.', '\\.');
  const ours = [...names].map((name) => name.replaceAll('/', '\\/')).join('|');
  for (const file of [...packages.map((each) => each.file), 'bench/package.json']) {
    replace(file, new RegExp(`("(?:version|${ours})": )"${quoted}"`, 'g'), `$1"${to}"`);
  }
  for (const file of [
    'server.json',
    'plugins/claude-code/.claude-plugin/plugin.json',
    'plugins/gemini-cli/gemini-extension.json',
  ]) {
    replace(file, new RegExp(`("version": )"${quoted}"`, 'g'), `$1"${to}"`);
  }
  replace('packages/server/src/version.ts', new RegExp(`'${quoted}'`, 'g'), `'${to}'`);
  replace(
    'docs/server-authors.md',
    new RegExp(`(rootward-\\{core,mcp\\}-)${quoted}\\.tgz`, 'g'),
    `$1${to}.tgz`,
  );
  return files;
}

/** Lines that hold only until the packages are on npm. */
export function linesBeforeFirstRelease(repository) {
  return ['README.md', 'docs/server-authors.md'].flatMap((file) =>
    readFileSync(join(repository, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        /\b(?:are not on npm yet|Until the packages are on npm)\b/.test(line) ? [`${file}:${index + 1}`] : [],
      ),
  );
}
