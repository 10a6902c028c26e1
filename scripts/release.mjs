// Makes a release: `npm run release -- [VERSION] [--dry-run] [--schema FILE]`. Without VERSION, the one the packages have.
// Sets the version everywhere, moves the changelog, packs the tarballs, builds the bundle, checks the registry entry, and
// then commits and tags. It never publishes: npm signs where a package comes from (provenance) only in GitHub Actions, where
// the tag starts .github/workflows/release.yml. With --dry-run everything is checked and packed into dist/release, and no
// file of the repository is changed. Exit codes: 0 done, 1 a step failed, 2 bad arguments.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { releaseChangelog } from './release/changelog.mjs';
import { publishedSchema, ruleProblems, schemaProblems } from './release/registry-entry.mjs';
import {
  currentVersion,
  isVersion,
  linesBeforeFirstRelease,
  publicPackages,
  withVersion,
} from './release/versions.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const output = join(repository, 'dist', 'release');
const windows = process.platform === 'win32';

const { dryRun, version: asked, schema } = readArguments();
const packages = publicPackages(repository);
let failed = false;

/** Says what a step did, or what failed and what to do. A release ends there; a dry run goes on to show the rest. */
async function step(name, act) {
  try {
    console.log(`✓ ${name}: ${await act()}`);
  } catch (error) {
    failed = true;
    console.log(`✗ ${name}: ${error.message}`);
    if (!dryRun) end();
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { 'dry-run': { type: 'boolean', default: false }, schema: { type: 'string' } },
      allowPositionals: true,
    });
    const [version, ...rest] = positionals;
    if (rest.length > 0) throw new Error(`One version is enough, not also ${rest.join(' ')}`);
    if (version !== undefined && !isVersion(version))
      throw new Error(`"${version}" is not a version such as 1.2.3`);
    return { dryRun: values['dry-run'], version, schema: values.schema };
  } catch (error) {
    console.error(`${error.message}\nUsage: npm run release -- [VERSION] [--dry-run] [--schema FILE]`);
    process.exit(2);
  }
}

function git(...args) {
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
}

function run(command, args, advice) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: repository,
    encoding: 'utf8',
    shell: windows,
  });
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')} failed: ${advice}\n${stdout}${stderr}`);
  return stdout;
}

function write(files) {
  if (!dryRun) for (const [file, text] of files) writeFileSync(join(repository, file), text);
}

function end() {
  if (failed && !dryRun) console.log('Nothing was committed. `git restore .` takes back what was written.');
  if (dryRun) console.log('Dry run: nothing was published, tagged, committed or changed.');
  process.exit(failed ? 1 : 0);
}

let version = asked;
await step('version', () => {
  const from = currentVersion(packages);
  version ??= from;
  if (git('tag', '--list', `v${version}`) !== '')
    throw new Error(`the tag v${version} exists: name a new version`);
  const changed = git('status', '--porcelain');
  if (changed !== '' && !dryRun)
    throw new Error(`there are changes that are not committed; commit them first:\n${changed}`);
  const files = withVersion(repository, packages, from, version);
  write(files);
  if (!dryRun && version !== from) {
    run('npm', ['install', '--package-lock-only', '--ignore-scripts'], 'see what npm says');
    run('npm', ['run', 'build'], 'make it build first');
  }
  return `${version} in ${files.size} files${version === from ? ', which have it already' : `, from ${from}`}`;
});

await step('changelog', () => {
  const file = join(repository, 'CHANGELOG.md');
  const date = new Date().toISOString().slice(0, 10);
  const { text, count } = releaseChangelog(readFileSync(file, 'utf8'), version, date);
  write(new Map([['CHANGELOG.md', text]]));
  return `${count} entries go under ${version} (${date})`;
});

await step('guides', () => {
  const lines = linesBeforeFirstRelease(repository);
  if (lines.length === 0) return 'nothing is said about packages that are not on npm';
  const advice = `${lines.join(' and ')} say that the packages are not on npm: remove that`;
  if (dryRun) return `${advice} before the first release`;
  throw new Error(advice);
});

await step('tarballs', () => {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const workspaces = packages.map(({ manifest }) => `--workspace=${manifest.name}`);
  const args = ['pack', '--json', '--pack-destination', 'dist/release', ...workspaces];
  const packed = JSON.parse(run('npm', args, 'run `npm run build` first'));
  const strange = packed.filter((each) => !dryRun && each.version !== version).map(({ id }) => id);
  if (strange.length > 0) throw new Error(`${strange.join(', ')} are not ${version}: run \`npm run build\``);
  if (packed.length !== packages.length)
    throw new Error(`${packed.length} of ${packages.length} packages were packed`);
  const sizes = packed.map(({ filename, size }) => `${filename} (${Math.ceil(size / 1000)} kB)`);
  return `${packed.length} in dist/release: ${sizes.join(', ')}`;
});

await step('provenance', () => {
  const without = packages
    .filter(({ manifest }) => manifest.repository === undefined)
    .map(({ file }) => file);
  const where =
    'npm signs it in GitHub Actions only, by .github/workflows/release.yml; it cannot be made or tried here';
  if (without.length === 0) return where;
  const advice = `npm refuses it for packages without "repository": add that to ${without.join(', ')}`;
  if (dryRun) return `${where}; ${advice}`;
  throw new Error(advice);
});

await step('bundle', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/bundle-mcpb.mjs'], {
    cwd: repository,
    encoding: 'utf8',
  });
  if (status === 3)
    throw new Error('the tool that packs it cannot be fetched from npm: connect, and run this again');
  if (status !== 0) throw new Error(`it is not valid; see mcpb/manifest.json\n${stdout}${stderr}`);
  copyFileSync(join(repository, 'dist', 'rootward.mcpb'), join(output, 'rootward.mcpb'));
  return 'dist/release/rootward.mcpb, its manifest is valid';
});

await step('registry entry', async () => {
  const entry = JSON.parse(readFileSync(join(repository, 'server.json'), 'utf8'));
  const published = await publishedSchema(entry, schema);
  const problems = [
    ...ruleProblems(entry),
    ...(published === undefined ? [] : schemaProblems(entry, published)),
  ];
  if (problems.length > 0)
    throw new Error(`server.json is not valid; correct it:\n  ${problems.join('\n  ')}`);
  if (published !== undefined) return `server.json is valid by its schema, ${schema ?? entry.$schema}`;
  const advice = `its schema is out of reach (${entry.$schema}): connect, or download it and pass --schema FILE`;
  if (!dryRun) throw new Error(advice);
  return `server.json follows the rules kept here; ${advice}`;
});

if (!dryRun) {
  await step('commit and tag', () => {
    git('commit', '--all', '--message', `release: ${version}`);
    git('tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
    return `v${version}; \`git push --follow-tags\` publishes it`;
  });
}
end();
