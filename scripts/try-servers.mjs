// Tries `rootward wrap` with servers that others wrote, and writes what came of it into docs/wrap.md.
// Takes a minute: `node scripts/try-servers.mjs` after a build.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { code, table } from './tables/markdown.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const page = `${repository}docs/wrap.md`;
const [BEGIN, END] = ['<!-- tried:begin -->', '<!-- tried:end -->'];
const FILES = { legacy: 'test/wrap/same-answers.test.ts', modern: 'test/wrap/modern.test.ts' };

/** By the name of the server: whether its test passed. */
function results(file) {
  const { stdout } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', file, '--reporter=json'],
    // With all servers, as in the long tests.
    {
      cwd: repository,
      encoding: 'utf8',
      env: { ...process.env, ROOTWARD_WRAP_KILLS: '1' },
      maxBuffer: 2 ** 28,
    },
  );
  const { testResults } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return (name) => tests.find(({ title }) => title.includes(name))?.status === 'passed';
}

function versionOf(name) {
  const manifest = `${repository}node_modules/${name}/package.json`;
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : '–';
}

const names = [
  ...readFileSync(`${repository}test/wrap/fixtures/servers.ts`, 'utf8').matchAll(/^ {4}name: '(.+)',$/gm),
].map(([, name]) => name);
const [legacy, modern] = [results(FILES.legacy), results(FILES.modern)];
// Reporters cut long titles.
const short = (name) => name.slice(0, 30);
const word = (passed) => (passed ? 'yes' : 'no');
const rows = names.map((name) => [
  code(name),
  versionOf(name),
  word(legacy(short(name))),
  word(modern(short(name))),
]);
const made = table(['server', 'version', 'same answers as directly', 'works for a modern client'], rows);
const text = readFileSync(page, 'utf8');
const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
if (from === -1 || to === -1) throw new Error(`Cannot write ${page}: it has no markers`);
writeFileSync(page, `${text.slice(0, from + BEGIN.length)}\n${made}\n${text.slice(to)}`);
if (rows.some((row) => row.includes('no'))) process.exitCode = 1;
