import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Place } from '../page/fixtures/ui.js';
import { INNER } from '../wrap/fixtures/wrapped.js';
import { PROGRAM } from './fixtures/rootward.js';

const NAMES = [
  'bwrap',
  'git',
  'rg',
  'jq',
  'gojq',
  'clangd',
  'cc',
  'ps',
  'diff',
  'sh',
  'bash',
  'node',
  'python3',
  'mkfifo',
  'setpriv',
  'redis-cli',
  'sandbox-exec',
];
const SYSTEM = '/usr/local/bin:/usr/bin:/bin';

/** Puts programs into a folder of the project that write down that they ran. */
function plant(place: Place, ...folder: readonly string[]): string {
  const bin = join(place.project, ...folder);
  mkdirSync(bin, { recursive: true });
  for (const name of NAMES) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >>${markerOf(place)}\n`, { mode: 0o755 });
  }
  return bin;
}

function markerOf(place: Place): string {
  return join(place.environment['HOME'] ?? '', 'marker');
}

function ran(place: Place): string {
  return existsSync(markerOf(place)) ? readFileSync(markerOf(place), 'utf8') : '';
}

const PLACES: readonly (readonly [name: string, path: (place: Place) => string])[] = [
  ['node_modules/.bin', (place) => plant(place, 'node_modules', '.bin')],
  ['the process directory', (place) => plant(place, '.')],
  ['a folder below it', (place) => plant(place, 'tools', 'bin')],
  ['an empty entry', (place) => plant(place, '.') && ''],
  ['a relative entry', (place) => plant(place, 'bin') && 'bin'],
  [
    'a link to a folder',
    (place) => {
      const link = join(place.environment['HOME'] ?? '', 'link');
      symlinkSync(plant(place, 'tools'), link);
      return link;
    },
  ],
  [
    'links to programs',
    (place) => {
      const bin = plant(place, 'tools');
      const links = join(place.environment['HOME'] ?? '', 'bin');
      mkdirSync(links);
      for (const name of NAMES) symlinkSync(join(bin, name), join(links, name));
      return links;
    },
  ],
];

test.each(PLACES)(
  'no program of the workspace runs from %s at a start, a first call, doctor, wrap or sandbox',
  async (_, choose) => {
    const place = new Place({ 'a.c': 'int answer(void) { return 42; }\n' });
    const environment = { PATH: `${choose(place)}:${SYSTEM}` };

    const session = await place.server({ environment: { ...environment, ROOTWARD_SANDBOX: 'auto' } });
    expect(await session.call('search_content', { pattern: 'answer' })).toMatchObject({ refused: false });
    await session.call('outline', { path: 'a.c' });
    await session.end();
    expect(ran(place)).toBe('');

    const wrapped = await place.server({
      environment: { ...environment, ROOTWARD_SANDBOX: 'auto' },
      wrap: ['node', INNER],
    });
    await wrapped.call('roots', {});
    await wrapped.end();
    expect(ran(place)).toBe('');

    const env = { ...place.environment, ...environment };
    for (const words of [['doctor'], ['sandbox', '.', '--', 'cc', '--version']])
      spawnSync(process.execPath, [PROGRAM, ...words], { env, cwd: place.project });
    expect(ran(place)).toBe('');

    spawnSync('bwrap', { env, cwd: place.project });
    expect(ran(place), 'the twin: without our search it runs').toBe('bwrap\n');
    rmSync(markerOf(place));
  },
);

test('doctor names the programs that it skipped, and why', () => {
  const place = new Place();
  const bin = plant(place, 'node_modules', '.bin');
  const env = { ...place.environment, PATH: `${bin}:${SYSTEM}` };
  const { stdout } = spawnSync(process.execPath, [PROGRAM, 'doctor', '.'], {
    env,
    cwd: place.project,
    encoding: 'utf8',
  });
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    `skipped ${join(bin, 'bwrap')}: the packages of a project put programs into node_modules/.bin`,
  );
});
