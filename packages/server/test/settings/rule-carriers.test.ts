import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectOf, resolveSnapshot, RootwardError, type Scope } from '@rootward/core';
import { describe, expect, test } from 'vitest';
import { RootwardServerError } from '../../src/error.js';
import { ProjectSettingsStore } from '../../src/guidance/settings-store.js';
import { prepareServer } from '../../src/serve/prepare-server.js';
import type { Environment } from '../../src/settings/from-environment.js';
import { fromFlags, type ParsedFlags } from '../../src/settings/from-flags.js';
import { loadSettings } from '../../src/settings/load-settings.js';
import { makeTree } from '../fixtures/temp-tree.js';

/** A user with a repository `work/app`, in which a key and a text are. */
interface User {
  readonly home: string;
  readonly app: string;
}

const tree = makeTree();
let count = 0;

function newUser(): User {
  const name = `home ${++count}`;
  tree.add({
    [`${name}/work/app/.git/HEAD`]: '',
    [`${name}/work/app/sub/a.pem`]: 'key',
    [`${name}/work/app/sub/b.txt`]: 'text',
  });
  const home = tree.path(name);
  symlinkSync(`${home}/work/app`, `${home}/link`);
  return { home, app: `${home}/work/app` };
}

/**
 * The folder that a client names. On a disk that tells letters apart, the last one does not exist, so that the roots of
 * the operator count.
 */
const NAMED: Readonly<Record<string, (user: User) => string>> = {
  same: ({ app }) => app,
  below: ({ app }) => `${app}/sub`,
  above: ({ app }) => dirname(app),
  link: ({ home }) => `${home}/link`,
  case: ({ app }) => dirname(app) + '/APP',
};

type Decision = 'allowed' | RootwardError['code'];
/** Reading the key, reading the text, and writing the text. Or the start stops. */
type Outcome = readonly [key: Decision, text: Decision, write: Decision] | 'start stops';

async function decide(operation: Promise<unknown>): Promise<Decision> {
  try {
    await operation;
    return 'allowed';
  } catch (error) {
    if (!(error instanceof RootwardError)) throw error;
    return error.code;
  }
}

async function tryAll(scope: Scope, { app }: User): Promise<Outcome> {
  return [
    await decide(scope.readText(`${app}/sub/a.pem`)),
    await decide(scope.readText(`${app}/sub/b.txt`)),
    await decide(scope.write(`${app}/sub/b.txt`, 'text')),
  ];
}

/** The real settings, fence and scope of a server that was started so, for a client that names this folder. */
async function serve(user: User, given: Given, named: string): Promise<Outcome> {
  const { flags = {}, environment = {} } = given;
  const { home } = user;
  try {
    const values = fromFlags({ root: [user.app], ...flags }, [], { directory: home, home });
    const settings = await loadSettings(values, environment, home);
    const { sources, createScope } = await prepareServer(settings, {
      environment,
      home,
      directory: home,
      program: undefined,
    });
    const answer = { result: { roots: [{ uri: pathToFileURL(named).href }] } };
    const snapshot = await resolveSnapshot(sources, { declaresRoots: true, answer }, { now: 0 });
    return await tryAll(createScope(snapshot), user);
  } catch (error) {
    if (error instanceof RootwardServerError) return 'start stops';
    throw error;
  }
}

interface Given {
  readonly flags?: ParsedFlags;
  readonly environment?: Environment;
}

const RULES = { deny: ['sub/*.pem'], readOnly: true };

/** The files that carry rules. */
const FILES: Readonly<Record<string, (user: User) => string>> = {
  'rootward.json': ({ home }) => `${home}/.config/rootward/rootward.json`,
  '.rootward.json': ({ app }) => `${app}/.rootward.json`,
  'user settings': ({ home, app }) =>
    new ProjectSettingsStore(`${home}/.config/rootward`).fileOf(projectOf({ path: app, source: 'flag' }).id),
};

/** Ways in which a file is of no use. */
const FAULTS: Readonly<Record<string, (file: string) => void>> = {
  unreadable: (file) => mkdirSync(file),
  malformed: (file) => writeFileSync(file, '{ "deny": ["sub/*.pem"'),
  'no UTF-8': (file) => writeFileSync(file, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
  'said twice': (file) => writeFileSync(file, '{ "deny": ["sub/*.pem"], "deny": [] }'),
  'a useless glob': (file) => writeFileSync(file, '{ "deny": ["sub/*.pem\\u0000"] }'),
  dangling: (file) => symlinkSync('/nowhere/rules.json', file),
  empty: (file) => writeFileSync(file, ''),
};

const IN_FORCE: Outcome = ['denied', 'allowed', 'read-only'];
const READ_ONLY: Outcome = ['allowed', 'allowed', 'read-only'];
const UNREADABLE: Outcome = ['rules-unreadable', 'rules-unreadable', 'rules-unreadable'];
const NO_RULES: Outcome = ['allowed', 'allowed', 'allowed'];

async function each(start: (user: User) => Given): Promise<Readonly<Record<string, Outcome>>> {
  const outcomes: [string, Outcome][] = [];
  for (const [name, named] of Object.entries(NAMED)) {
    const user = newUser();
    const given = start(user);
    outcomes.push([name, await serve(user, given, named(user))]);
  }
  return Object.fromEntries(outcomes);
}

function everywhere(outcome: Outcome): Readonly<Record<string, Outcome>> {
  return Object.fromEntries(Object.keys(NAMED).map((name) => [name, outcome]));
}

function writeFile(file: string, write: (file: string) => void): Given {
  mkdirSync(dirname(file), { recursive: true });
  write(file);
  return {};
}

describe('rules hold wherever the client begins', () => {
  test.each(Object.entries(FILES))('%s', async (_, fileOf) => {
    const found = await each((user) =>
      writeFile(fileOf(user), (file) => writeFileSync(file, JSON.stringify(RULES))),
    );
    expect(found).toEqual(everywhere(IN_FORCE));
  });

  test.each<[string, Given, Outcome]>([
    ['a flag', { flags: { readOnly: true } }, READ_ONLY],
    ['the environment', { environment: { ROOTWARD_READ_ONLY: '1' } }, READ_ONLY],
    ['a variable that is not set', { environment: { ROOTWARD_READ_ONLY: '' } }, NO_RULES],
    ['a malformed flag', { flags: { readOnly: 'maybe' } }, 'start stops'],
    ['an empty flag', { flags: { within: [''] } }, 'start stops'],
    ['a blank flag', { flags: { within: [' '] } }, 'start stops'],
    ['a malformed variable', { environment: { ROOTWARD_READ_ONLY: 'maybe' } }, 'start stops'],
    ['a blank variable', { environment: { ROOTWARD_READ_ONLY: ' ' } }, 'start stops'],
    ['a blank ceiling', { environment: { ROOTWARD_WITHIN: ' ' } }, 'start stops'],
  ])('%s', async (_, given, outcome) => {
    expect(await each(() => given)).toEqual(everywhere(outcome));
  });
});

describe('rules that cannot be read are never lost without a word', () => {
  const faults = Object.entries(FAULTS);
  const cells = Object.entries(FILES).flatMap(([carrier, fileOf]) =>
    faults.map(([fault, write]) => [carrier, fault, fileOf, write] as const),
  );

  test.each(cells)('%s: %s', async (carrier, _, fileOf, write) => {
    const found = await each((user) => writeFile(fileOf(user), write));
    expect(found).toEqual(everywhere(carrier === 'rootward.json' ? 'start stops' : UNREADABLE));
  });

  test.each<[string, (folder: string) => void]>([
    ['a file in its place', (folder) => writeFileSync(folder, '')],
    ['a link that leads nowhere', (folder) => symlinkSync('/nowhere', folder)],
  ])('the folder of all user settings: %s', async (_, write) => {
    const found = await each(({ home }) => writeFile(`${home}/.config/rootward/projects`, write));
    expect(found).toEqual(everywhere(UNREADABLE));
  });
});
