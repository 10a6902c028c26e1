import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CLIENT_IDS } from '@rootward/core/platform';
import { runCommandLine } from '../../packages/server/dist/cli/program.js';
import { repository } from './pages.js';

/** As the guide calls them, apart from letters and blanks. */
const NAMES: Readonly<Record<string, string>> = { jetbrainsjunie: 'jetbrains' };

/** Of each client the files that the guide names, for the project and for the user. */
function rows(): readonly (readonly [client: string, project: string, user: string])[] {
  const guide = readFileSync(join(repository, 'docs', 'agents.md'), 'utf8');
  const [, table = ''] = guide.split('| client | project | user |\n');
  return [...table.split('\n\n')[0]!.matchAll(/^\| ([A-Za-z ()]+) \| (.+) \| (.+) \|$/gm)].map(
    ([, name = '', project = '', user = '']) => {
      const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '');
      const id = CLIENT_IDS.find((each) => each.replaceAll('-', '') === plain) ?? NAMES[plain] ?? name;
      return [id, project, user];
    },
  );
}

/** The files that are written, relative to the home or to the project; undefined where there is no such scope. */
async function written(client: string, scope: string): Promise<readonly string[] | undefined> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-install-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [home, project] = [join(top, 'home'), join(top, 'project')];
  for (const folder of [home, project]) mkdirSync(folder);
  let text = '';
  const out = (chunk: string): void => {
    text += chunk;
  };
  const code = await runCommandLine(['install', '--client', client, '--scope', scope, '--yes', '--json'], {
    out,
    err: () => undefined,
    interactive: false,
    start: { environment: { HOME: home, PATH: '' }, home, directory: project, program: undefined },
  });
  if (code !== 0) return undefined;
  const { files } = JSON.parse(text) as { readonly files: readonly { readonly file: string }[] };
  const at = scope === 'user' ? home : project;
  return files.map(({ file }) => relative(at, file).replaceAll('\\', '/'));
}

/** A name without a folder says only what the file is called; a folder stands for what is in it. */
function isNamed(file: string, path: string): boolean {
  return file === path || (path.endsWith('/') && file.startsWith(path)) || basename(file) === path;
}

describe('The guide to agents names the files that install writes', () => {
  test('of every client', () => {
    expect(rows().map(([client]) => client)).toEqual([...CLIENT_IDS]);
  });

  // Other systems keep some of them elsewhere.
  test.runIf(process.platform === 'linux').each(rows())('of %s', async (client, ...cells) => {
    for (const [index, scope] of ['project', 'user'].entries()) {
      const cell = cells[index] ?? '';
      const named = [...cell.matchAll(/`(?:~\/)?([^`]+)`/g)].map(([, path = '']) => path);
      const files = await written(client, scope);
      expect([scope, cell === '–']).toEqual([scope, files === undefined]);
      expect((files ?? []).filter((file) => !named.some((path) => isNamed(file, path)))).toEqual([]);
      expect(named.filter((path) => !(files ?? []).some((file) => isNamed(file, path)))).toEqual([]);
    }
  });
});
