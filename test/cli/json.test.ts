import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../exec/fixtures/run-command.js';
import { makeProject } from '../exec/fixtures/tools-project.js';
import { repository } from '../docs/pages.js';
import { makePlace } from './fixtures/shells.js';

const { directory: cwd, environment: env } = makePlace();
const page = readFileSync(join(repository, 'docs/command-line.md'), 'utf8');
const project = makeProject({
  fails: 'mcp_fail -32000 broken \'{"x":1}\'',
  refuses: 'mcp_error not_here "not here"',
});

/** The row of the table that tells the members of a command's output. */
function documented(command: string): string {
  const row = page.split('\n').find((line) => line.startsWith(`| \`rootward ${command} --json\``));
  return row?.split('|')[2] ?? '';
}

async function json(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly value: unknown }> {
  const { code, out } = await runCommand([...args, '--json'], { cwd, env });
  return { code, value: JSON.parse(out) };
}

describe('rootward --json', () => {
  const tool = ['hello-shell', '--project', 'my-tools', '--args', '{"name":"you"}'];
  test.each([
    ['roots', ['roots', 'src', 'docs'], ['roots', 'rejected', 'trace'], 0],
    ['contains', ['contains', 'src', '--root', '.'], ['path', 'inScope', 'root'], 0],
    ['contains', ['contains', '/', '--root', '.'], ['path', 'inScope', 'code', 'message'], 1],
    ['doctor', ['doctor', '.'], ['findings', 'clients'], 0],
    ['validate', ['validate', 'rootward.json'], ['valid', 'files', 'tools', 'problems'], 0],
    [
      'validate',
      ['validate', '--project', 'my-tools'],
      ['valid', 'files', 'roots', 'tools', 'unserved', 'unknownHelpers', 'problems'],
      0,
    ],
    ['run-tool', ['run-tool', ...tool], ['content', 'structuredContent', 'isError'], 0],
    ['run-tool --list', ['run-tool', '--list', '--project', 'my-tools'], ['project', 'tools', 'problems'], 0],
    ['run-tool --dry-run', ['run-tool', ...tool, '--dry-run'], ['tool', 'file', 'args', 'roots'], 0],
    ['settings', ['settings'], ['project', 'file', 'settings'], 0],
    ['config', ['config', '--client', 'windsurf'], ['client', 'place', 'text', 'note'], 0],
    ['init', ['init', 'src'], ['written', 'kept'], 0],
    ['install', ['install', '--client', 'cursor', '--yes'], ['client', 'files'], 0],
    ['uninstall', ['uninstall', '--client', 'cursor', '--yes'], ['client', 'files'], 0],
    ['history', ['history', '--root', '.'], ['directory', 'changes', 'more'], 0],
    ['history prune', ['history', 'prune', '--root', '.'], ['changes', 'bytes', 'kept'], 0],
    ['undo', ['undo', '--since', '1h', '--root', '.'], ['applied', 'restored', 'lost', 'changes'], 0],
    ['sandbox --explain', ['sandbox', '.', '--level', 'off', '--explain'], ['level'], 0],
  ])('%s: %j has the members the page tells', async (command, args, members, exitCode) => {
    const { code, value } = await json(args);
    expect(code).toBe(exitCode);
    expect(Object.keys(value as object)).toEqual(members);
    for (const member of members) expect(documented(command)).toContain(`\`${member}\``);
  });

  test('is told of every command that has it', async () => {
    const { out } = await runCommand(['--help'], { cwd, env });
    const commands = [...out.slice(out.indexOf('Commands:')).matchAll(/^ {2}([a-z][\w-]*)/gm)].map(
      ([, command = '']) => command,
    );
    const having: string[] = [];
    for (const command of commands) {
      if ((await runCommand([command, '--help'], { cwd, env })).out.includes('--json')) having.push(command);
    }
    expect(having).toContain('roots');
    expect(having.filter((command) => !page.includes(`\`rootward ${command} `))).toEqual([]);
  });

  test('lists what is said of each root, source and finding', async () => {
    const { value: roots } = await json(['roots', 'src']);
    const { value: doctor } = await json(['doctor', 'src', '--root', cwd]);
    const [root] = (roots as { roots: object[] }).roots;
    const [entry] = (roots as { trace: object[] }).trace;
    const [finding] = (doctor as { findings: object[] }).findings;
    for (const key of [...Object.keys(root!), ...Object.keys(entry!)]) {
      expect(documented('roots')).toContain(`\`${key}\``);
    }
    for (const key of Object.keys(finding!)) expect(documented('doctor')).toContain(`\`${key}\``);
  });

  test('gives the result of a tool as a client gets it', async () => {
    expect(await json(['run-tool', 'refuses', '--project', project.path])).toMatchObject({
      code: 1,
      value: { isError: true, content: [{ type: 'text' }] },
    });
    expect(await json(['run-tool', 'fails', '--project', project.path])).toEqual({
      code: 1,
      value: { error: { code: -32_000, message: 'broken', data: { x: 1 } } },
    });
    const { value } = await json(['run-tool', 'fails', '--project', project.path, '--print-env']);
    expect(value).toMatchObject({ MCP_TOOL_NAME: 'fails' });
  });
});
