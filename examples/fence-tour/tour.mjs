// A tour of the fence: makes a small tree in a temporary folder, tries what is allowed and what is not, and checks that
// every attempt ends as announced. Exit code 1 when one does not.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPathRoots, RootwardError, Scope } from '@rootward/core';

const base = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-tour-'));
const project = join(base, 'project');
mkdirSync(join(project, 'src'), { recursive: true });
mkdirSync(join(base, 'project-secrets'));
writeFileSync(join(project, 'README.md'), '# A project\n');
writeFileSync(join(project, '.env'), 'TOKEN=hunter2\n');
writeFileSync(join(base, 'project-secrets', 'key.txt'), 'top secret\n');
symlinkSync('README.md', join(project, 'link-inside'));
symlinkSync('../project-secrets', join(project, 'link-outside'));

const { roots } = await readPathRoots([{ path: project }], { source: 'flag', home: homedir() });
const scope = new Scope({ roots, rules: { deny: ['.env*'] } });
let surprises = 0;

async function attempt(expected, what, run) {
  let outcome;
  let detail;
  try {
    detail = await run();
    outcome = 'allowed';
  } catch (error) {
    if (!(error instanceof RootwardError)) throw error;
    outcome = 'refused';
    detail = error.message.replaceAll(base, '…');
  }
  if (outcome !== expected) surprises++;
  console.log(`  ${outcome === expected ? '✓' : '✗'} ${outcome}  ${what.padEnd(46)} ${detail ?? ''}`);
}

console.log(`One root: …/project (from --root), everything is decided on the object that was opened.`);
console.log(
  `Guarantee for reading and writing here: ${scope.guarantee('readText')}, ${scope.guarantee('write')}.\n`,
);

await attempt('allowed', 'read a file', async () => JSON.stringify((await scope.readText('README.md')).text));
await attempt(
  'allowed',
  'read through a link that stays inside',
  async () => (await scope.stat('link-inside')).kind,
);
await attempt('allowed', 'write a new file, in one step', async () => {
  const { bytesWritten } = await scope.write('src/main.js', 'console.log(1)\n', { mode: 'new' });
  return `${bytesWritten} bytes`;
});
await attempt('allowed', 'make folders on the way', async () => {
  await scope.mkdir('docs/guides', { recursive: true });
});
await attempt('allowed', 'list', async () =>
  (await scope.list('.'))
    .map((entry) => entry.name)
    .sort()
    .join(' '),
);

console.log();
await attempt('refused', 'leave with ..', () => scope.readText('../project-secrets/key.txt'));
await attempt('refused', 'a sibling that shares the prefix', () =>
  scope.readText(`${project}-secrets/key.txt`),
);
await attempt('refused', 'a link that leads out', () => scope.readText('link-outside/key.txt'));
await attempt('refused', 'write through a link that leads out', () =>
  scope.write('link-outside/new.txt', 'x'),
);
await attempt('refused', 'a file that a rule denies', () => scope.readText('.env'));
await attempt('refused', 'change the rules of the fence', () => scope.write('.rootward.json', '{}'));
await attempt('refused', 'remove the root itself', () => scope.remove(project, { recursive: true }));
await attempt('refused', 'the memory of this process', () => scope.readBytes('/proc/self/mem'));
await attempt('refused', 'anything at all without roots', () =>
  new Scope({ roots: [] }).readText('README.md'),
);

rmSync(base, { recursive: true });
console.log(
  surprises === 0
    ? '\nEvery attempt ended as announced.'
    : `\n${surprises} attempts did not end as announced.`,
);
process.exitCode = surprises === 0 ? 0 : 1;
