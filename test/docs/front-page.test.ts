import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { blocksIn, repository } from './pages.js';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const README = read('README.md');
const COMPARISON = read('docs/comparison.md');

/** The cells of a row of a table, after its first. */
function rowOf(text: string, label: string): readonly string[] {
  const line = text.split('\n').find((each) => each.startsWith(`| ${label} |`));
  if (line === undefined) throw new Error(`there is no row "${label}"`);
  return line
    .split(' | ')
    .slice(1)
    .map((cell) => cell.replace(/ \|$/, ''));
}

describe('The front page', () => {
  test('says that npm test is what CI runs, as it is', () => {
    expect(README).toContain('npm test    # every check that CI runs');
    expect(read('.github/workflows/ci.yml')).toContain('run: bash .ci/run');
    expect(read('.ci/run').trim().split('\n').at(-1)).toBe('npm test');
  });

  test('counts how often the tests swap a folder for a link', () => {
    const [, short, long] = /try it (\d+) times .*? ([\d,]+) times/.exec(README) ?? [];
    expect(read('packages/core/test/scope/races.process.test.ts')).toContain(`?? ${short})`);
    expect(read('scripts/soak.mjs')).toContain(`ROOTWARD_RACE_ATTEMPTS: '${long?.replace(',', '')}'`);
  });

  // The guide has what was run, and the script that runs it again.
  test.each([
    ['asks the client for its folders', 'asks the client for its folders', {}],
    ['follows when they change', 'follows when they change', {}],
    [
      'client answers `[]` after roots',
      'takes them away when the client answers `[]`',
      { yes: 'folders gone', no: 'folders kept' },
    ],
  ])('compares as the guide does: %s', (label, inGuide, words: Readonly<Record<string, string>>) => {
    const [ours, filesystem, , gateway, bash] = rowOf(README, label);
    expect([ours, filesystem, gateway, bash]).toEqual(
      rowOf(COMPARISON, inGuide).map((cell) => words[cell] ?? cell),
    );
  });

  test('compares the versions of the guide', () => {
    const heading = README.split('\n').find((line) => line.startsWith('| | rootward |')) ?? '';
    const versions = [...heading.matchAll(/\]\(\S+\) ([\d.]+)/g)].map(([, version = '']) => version);
    expect(versions).toHaveLength(3);
    const table = COMPARISON.split('\n').find((line) => line.startsWith('| what was looked at |')) ?? '';
    expect(versions.filter((version) => !table.includes(` ${version} |`))).toEqual([]);
  });
});

/** Lines that call another program to add a server to its client, in blocks and in tables. */
const ADDING = [
  ...blocksIn('sh').flatMap(({ code }) => code.split('\n')),
  ...[...read('docs/clients.md').matchAll(/^\| [\w ]+ \| `(.+)` \|$/gm)].map(([, command = '']) => command),
].filter((line) => /^\w+ (?:mcp add|--add-mcp) /.test(line));

describe.runIf(process.platform !== 'win32')('A command of a client that adds the server', () => {
  const bin = mkdtempSync(join(tmpdir(), 'rootward-clients-'));
  afterAll(() => rmSync(bin, { recursive: true, force: true }));

  test('is shown for each client that has one', () => {
    expect(ADDING.length).toBeGreaterThan(8);
  });

  // Each client is a script that prints what it is given, one argument on each line.
  test.each(ADDING)('names this program: %s', (line) => {
    const [client = ''] = line.split(' ');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, client), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    chmodSync(join(bin, client), 0o755);
    const given = execFileSync('sh', ['-c', line], {
      cwd: repository,
      env: { PATH: `${bin}:${process.env['PATH']}`, PWD: repository },
      encoding: 'utf8',
    })
      .trim()
      .split('\n');
    const entry = given[0] === '--add-mcp' ? (JSON.parse(given[1] ?? '') as Entry) : undefined;
    const words = entry === undefined ? given : [entry.name, entry.command, ...entry.args];
    const [command, ...args] = words.slice(words.indexOf('rootward') + 1).filter((word) => word !== '--');
    expect([command, ...args.slice(0, -1)].join(' ')).toBe(args.length === 1 ? 'node' : 'npx -y');
    const [program = ''] = args.slice(-1);
    expect(program === 'rootward' || existsSync(program)).toBe(true);
  });
});

interface Entry {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}
