import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../exec/fixtures/run-command.js';
import { makeProject } from '../exec/fixtures/tools-project.js';
import { hasPseudoTerminal, openTerminal } from './fixtures/pseudo-terminal.js';
import { makePlace } from './fixtures/shells.js';

const { directory: cwd, environment: env } = makePlace();
const project = makeProject({
  slow: 'mcp_progress 50 half; until [ -e "$MCPBASH_PROJECT_ROOT/go" ]; do sleep 0.05; done; echo done',
  second: 'sleep 1.5; echo done',
});

/** A configuration file that takes until someone writes it. */
function makePipe(name: string): string {
  const path = join(cwd, '..', name);
  execFileSync('mkfifo', [path]);
  return path;
}

test('Where stderr is no terminal, nothing is said about waiting', async () => {
  const { out, err } = await runCommand(['run-tool', 'second', '--project', project.path], { env });
  expect({ out, err }).toEqual({ out: 'done\n', err: '' });
});

describe.runIf(hasPseudoTerminal)('On a terminal', () => {
  test('whoever waits for a tool is told what it does, and nothing of it stays', async () => {
    const terminal = openTerminal(`rootward run-tool slow --project ${project.path}`, { cwd, env });
    await terminal.until(/Running slow \[50\/100\] half … \d+ s\r/);
    writeFileSync(join(project.path, 'go'), '');
    expect(await terminal.exit).toBe(0);
    expect(terminal.screen()).toEqual(['done']);
  });

  test.each([
    ['doctor . --config', /Looking around … \d+ s/, /No problems found/],
    ['validate', /Checking the configuration … \d+ s/, /fine/],
    ['roots . --config', /Reading the roots … \d+ s/, /1 root from the command line/],
  ])('a slow disk is named: rootward %s', async (command, status, end) => {
    const pipe = makePipe(command.split(' ')[0]!);
    const terminal = openTerminal(`rootward ${command} ${pipe}`, { cwd, env });
    await terminal.until(status);
    writeFileSync(pipe, '{}');
    expect(await terminal.exit).toBe(0);
    const seen = terminal.screen().join('\n');
    expect(seen).toMatch(end);
    expect(seen).not.toContain('…');
  });

  test('a slow disk is named before a server over HTTP is there', async () => {
    const pipe = makePipe('serve');
    const terminal = openTerminal(`exec rootward . --http 0 --config ${pipe}`, { cwd, env });
    await terminal.until(/Getting ready … \d+ s/);
    writeFileSync(pipe, '{}');
    await terminal.until(/Stop it with Ctrl\+C/);
    terminal.type('\u0003');
    expect(await terminal.exit).toBe(0);
    const seen = terminal.screen().join('\n');
    expect(seen).toContain('serves MCP at');
    expect(seen).not.toContain('…');
  });

  test('Ctrl-C leaves nothing of the line, and ends the command', async () => {
    const terminal = openTerminal(`exec rootward doctor . --config ${makePipe('never')}`, { cwd, env });
    await terminal.until(/Looking around … \d+ s/);
    terminal.type('\u0003');
    expect(await terminal.exit).toBe(130);
    expect(terminal.screen().join('')).toMatch(/^(\^C)?$/);
  });
});
