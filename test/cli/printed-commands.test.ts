import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { PROGRAM } from '../server/fixtures/rootward.js';
import { makePlace } from './fixtures/shells.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const { directory, environment } = makePlace();
/** As in a clone: nothing is on PATH but what npm puts there for its scripts. */
const inScript = {
  ...environment,
  PATH: `${join(repository, 'node_modules', '.bin')}:${process.env['PATH']}`,
};
const bare = { ...environment, PATH: process.env['PATH'] };

interface Outcome {
  readonly code: number | null;
  readonly out: string;
}

/** Runs a line in a shell to its end. One that serves is told to stop once it has said all. */
function runLine(line: string, env: NodeJS.ProcessEnv = bare): Promise<Outcome> {
  const child = spawn('sh', ['-c', `exec ${line}`], {
    cwd: directory,
    env: { ...env, PWD: directory },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (out.includes('Ctrl+C')) child.kill('SIGTERM');
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out }));
  });
}

/** Every command line in a text: of this program, or of a script it wrote. */
function commandsIn(text: string): readonly string[] {
  return [
    ...text.matchAll(/(?:^|: |`| {2})((?:node \S+rootward\.cjs|\S+\/run\.sh).*?)(?: {2,}.*|`.*)?$/gm),
  ].map(([, command = '']) => command);
}

/** Runs each of them as it is printed, and says which did not end well. */
async function failuresOf(text: string): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const command of commandsIn(text)) {
    const { code, out } = await runLine(command);
    if (code !== 0 && !out.includes('serves MCP at')) failures.push(`${command}: ${code}`);
  }
  return failures;
}

describe.runIf(process.platform !== 'win32')('Every command that is printed works as printed', () => {
  test('by npm start', async () => {
    const { out } = await runLine(`node ${join(repository, 'scripts/start.mjs')} --http 0`, {
      ...inScript,
      INIT_CWD: directory,
    });
    const [command = ''] = commandsIn(out);
    const url = /at (http:\S+)/.exec(out)?.[1];
    const token = /Bearer ([\w-]+)/.exec(out)?.[1] ?? '';
    const configure = async (line: string): Promise<object> => {
      const printed = JSON.parse((await runLine(line)).out) as { servers: { rootward: object } };
      return printed.servers.rootward;
    };
    expect(await configure(command)).toMatchObject({ url });
    // As the line says, which does not repeat the token.
    expect(out).toContain('(add --token and that token)');
    expect(await configure(`${command} --token ${token}`)).toMatchObject({
      url,
      headers: { Authorization: `Bearer ${token}` },
    });
  });

  test('by init, and in the project it writes', async () => {
    const made = await runLine(`node ${PROGRAM} init --tools fresh`);
    expect(commandsIn(made.out)).toHaveLength(3);
    const readme = readFileSync(join(directory, 'fresh', 'README.md'), 'utf8');
    const configured = await runLine(`node ${PROGRAM} init here`);
    expect(commandsIn(configured.out)).toHaveLength(1);
    expect(await failuresOf(`${made.out}\n${configured.out}`)).toEqual([]);
    for (const command of commandsIn(readme)) {
      expect(() =>
        execFileSync('sh', ['-c', command], { cwd: join(directory, 'fresh'), env: bare }),
      ).not.toThrow();
    }
  });

  test.runIf(existsSync('/usr/bin/script'))('on a terminal', async () => {
    const { out } = await runLine(`/usr/bin/script -qec 'node ${PROGRAM}' /dev/null`);
    const text = stripVTControlCharacters(out).replaceAll('\r', '');
    expect(commandsIn(text).length).toBeGreaterThan(3);
    expect(await failuresOf(text)).toEqual([]);
  });
});
