// Makes a release: `npm run release -- [VERSION] [--dry-run] [--repository URL] [--schema FILE]`. Without VERSION, the one
// the packages have. Sets the version everywhere, moves the changelog, packs the tarballs, builds the bundle, checks the
// registry entry, and then commits and tags. It never publishes: npm signs where a package comes from (provenance) only in
// GitHub Actions, where the tag starts .github/workflows/release.yml. With --dry-run everything is checked and packed into
// dist/release, and no file of the repository is changed; what would stop a release, and only its maker can decide, is
// marked "!". Exit codes: 0 done, 1 a step failed, 2 bad arguments.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { releaseChangelog } from './release/changelog.mjs';
import { publishedSchema, ruleProblems, schemaProblems } from './release/registry-entry.mjs';
import { readRepository, withRepository } from './release/repository.mjs';
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

const USAGE = 'npm run release -- [VERSION] [--dry-run] [--repository URL] [--schema FILE]';
const { dryRun, version: asked, source, schema } = readArguments();
const packages = publicPackages(repository);
const left = [];
let failed = false;

/** What whoever makes the release has to decide. */
class LeftToDecide extends Error {}

/** Says what a step did, or what failed and what to do. A release ends there; a dry run goes on to show the rest. */
async function step(name, act) {
  try {
    console.log(`✓ ${name}: ${await act()}`);
  } catch (error) {
    const isLeft = dryRun && error instanceof LeftToDecide;
    if (isLeft) left.push(name);
    else failed = true;
    console.log(`${isLeft ? '!' : '✗'} ${name}: ${error.message}`);
    if (!dryRun) end();
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        repository: { type: 'string' },
        schema: { type: 'string' },
      },
      allowPositionals: true,
    });
    const [version, ...rest] = positionals;
    if (rest.length > 0) throw new Error(`One version is enough, not also ${rest.join(' ')}`);
    if (version !== undefined && !isVersion(version))
      throw new Error(`"${version}" is not a version such as 1.2.3`);
    const named = values.repository === undefined ? undefined : readRepository(values.repository);
    return { dryRun: values['dry-run'], version, source: named, schema: values.schema };
  } catch (error) {
    console.error(`${error.message}\nUsage: ${USAGE}`);
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
  if (left.length > 0) console.log(`A release would stop at: ${left.join(', ')}.`);
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
  throw new LeftToDecide(
    `${lines.join(' and ')} say that the packages are not on npm: remove that with the first release`,
  );
});

/** What server.json says after this release. */
let entry = readFileSync(join(repository, 'server.json'), 'utf8');
await step('provenance', () => {
  const where =
    'npm signs it in GitHub Actions only, by .github/workflows/release.yml; it cannot be made or tried here';
  if (source !== undefined) {
    const files = withRepository(repository, packages, source);
    write(files);
    entry = files.get('server.json') ?? entry;
    return `${source.url} in ${files.size} files that did not name it; ${where}`;
  }
  const without = packages.filter(({ manifest }) => manifest.repository === undefined);
  if (without.length === 0) return where;
  throw new LeftToDecide(
    `npm refuses it for packages without "repository", which ${without.length} of ${packages.length} do not have: pass --repository https://github.com/OWNER/NAME, which adds it to them and to server.json`,
  );
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
  const parsed = JSON.parse(entry);
  const published = await publishedSchema(parsed, schema);
  if (published === undefined)
    throw new Error(
      `its schema is out of reach (${parsed.$schema}): connect, or download it and pass --schema FILE`,
    );
  const problems = [...ruleProblems(parsed), ...schemaProblems(parsed, published)];
  if (problems.length > 0)
    throw new Error(`server.json is not valid; correct it:\n  ${problems.join('\n  ')}`);
  return `server.json is valid by its schema, ${schema ?? parsed.$schema}`;
});

if (!dryRun) {
  await step('commit and tag', () => {
    git('commit', '--all', '--message', `release: ${version}`);
    git('tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
    return `v${version}; \`git push --follow-tags\` publishes it`;
  });
}
end();
