// Tries `rootward wrap` with servers that others wrote, notes what came of it in scripts/tables/tried-servers.json, and
// makes the table in docs/wrap.md of that. Takes a minute: `node scripts/measurements/try-servers.mjs` after a build. With the folder
// of a clone in ROOTWARD_MCP_BASH it tries the server of mcp-bash as well; else what was noted of it stays. mcp-bash refuses to
// run tools that others may write: a copy made in another way may need `chmod -R go-w`.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installedVersion } from '../tables/tried.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const notes = fileURLToPath(new URL('../tables/tried-servers.json', import.meta.url));
const { ROOTWARD_MCP_BASH: bash } = process.env;
const FILES = { legacy: 'test/wrap/same-answers.test.ts', modern: 'test/wrap/modern.test.ts' };

/** By the name of the server: whether its test passed; undefined where there was none. */
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
  return (name) => tests.find(({ title }) => title.includes(name))?.status;
}

function versionOf(name) {
  if (name === 'mcp-bash') return readFileSync(`${bash}/VERSION`, 'utf8').trim();
  if (!name.startsWith('Python')) return installedVersion(name);
  return spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout.replace('Python', '').trim();
}

const names = [
  ...readFileSync(`${repository}test/wrap/fixtures/servers.ts`, 'utf8').matchAll(/^ +name: '(.+)',$/gm),
].map(([, name]) => name);
const before = JSON.parse(readFileSync(notes, 'utf8'));
const [legacy, modern] = [results(FILES.legacy), results(FILES.modern)];
const tried = names.flatMap((server) => {
  // Reporters cut long titles.
  const short = server.slice(0, 30);
  if (legacy(short) === undefined) return before.filter((each) => each.server === server);
  const [same, works] = [legacy(short), modern(short)].map((status) => status === 'passed');
  return [{ server, version: versionOf(server), same, works }];
});
writeFileSync(notes, `${JSON.stringify(tried, undefined, 2)}\n`);
for (const { server, same, works } of tried) console.log(`${same && works ? '✓' : '✗'} ${server}`);
const made = spawnSync(process.execPath, [`${repository}scripts/generate-tables.mjs`], { stdio: 'inherit' });
process.exitCode = tried.every(({ same, works }) => same && works) ? (made.status ?? 1) : 1;
