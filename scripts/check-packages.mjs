// Checks every package that is published as its users will find it: manifest, files and types.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const CHECKS = {
  publint: (folder) => ['node_modules/publint/src/cli.js', folder, '--strict'],
  attw: (folder) => [
    'node_modules/@arethetypeswrong/cli/dist/index.js',
    '--pack',
    folder,
    '--profile',
    'esm-only',
    // Declared as CommonJS for those who require it: every Node that is supported can require an ES module.
    '--ignore-rules',
    'false-cjs',
  ],
};

let failed = 0;
for (const name of readdirSync('packages')) {
  const folder = `packages/${name}`;
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  if (manifest.private === true) continue;
  // A package that carries a program has no types to check.
  const isProgram = !Object.keys(manifest.exports ?? {}).some((path) => !path.endsWith('.json'));
  for (const [check, command] of Object.entries(CHECKS)) {
    if (check === 'attw' && isProgram) continue;
    const { status, stdout, stderr } = spawnSync(process.execPath, command(folder), { encoding: 'utf8' });
    if (status === 0) continue;
    failed++;
    console.error(`${check} ${folder}:\n${stdout}${stderr}`);
  }
}
console.log(
  failed === 0 ? 'Packages: manifests, files and types are in order.' : `Packages: ${failed} checks failed.`,
);
process.exitCode = failed === 0 ? 0 : 1;
