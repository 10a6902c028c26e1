import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../../fixtures/command-line.js';

const makeHome = makeHomes();

async function noteOf(...args: string[]): Promise<string> {
  return (await run(makeHome(), ['config', '--client', ...args])).err;
}

describe('rootward config', () => {
  test.each([
    ['claude-code', 'mcpServers'],
    ['Claude Desktop', 'mcpServers'],
    ['vscode', 'servers'],
    ['VS Code', 'servers'],
    ['cursor', 'mcpServers'],
    ['gemini-cli', 'mcpServers'],
    ['zed', 'context_servers'],
    ['windsurf', 'mcpServers'],
    ['opencode', 'mcp'],
    ['jetbrains', 'mcpServers'],
  ])('--client %s prints JSON to paste', async (client, key) => {
    const home = makeHome();
    mkdirSync(join(home, 'a b'));
    const { code, out } = await run(home, ['config', '--client', client, 'a b']);
    expect(code).toBe(0);
    const server = (JSON.parse(out) as Record<string, Record<string, unknown>>)[key]?.['rootward'];
    expect(JSON.stringify(server)).toContain('"npx"');
    expect(JSON.stringify(server)).toContain(JSON.stringify(join(home, 'a b')));
  });

  test('--client codex prints TOML, goose YAML', async () => {
    expect((await run(makeHome(), ['config', '--client', 'codex'])).out).toBe(
      '[mcp_servers.rootward]\ncommand = "npx"\nargs = [ "-y", "rootward" ]\n',
    );
    expect((await run(makeHome(), ['config', '--client', 'goose'])).out).toContain(
      '    args: ["-y", "rootward"]',
    );
  });

  test('--url prints how to reach a server that runs', async () => {
    const { out } = await run(makeHome(), [
      'config',
      '--client',
      'cursor',
      '--url',
      'http://h/mcp',
      '--token',
      't',
    ]);
    expect(JSON.parse(out)).toEqual({
      mcpServers: { rootward: { url: 'http://h/mcp', headers: { Authorization: 'Bearer t' } } },
    });
  });

  test('--url without --token says that the server asks for one', async () => {
    const url = ['--url', 'http://h/mcp'];
    expect(await noteOf('cursor', ...url)).toContain('asks for a token: add --token');
    expect(await noteOf('codex', ...url)).toContain('asks for a token: add --token');
    expect(await noteOf('cursor', ...url, '--token', 't')).not.toContain('asks for a token');
    const json = await run(makeHome(), ['config', '--client', 'cursor', ...url, '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ note: expect.stringContaining('asks for a token') });
  });

  test('names folders so that they mean the same wherever the client starts the server', async () => {
    const home = makeHome();
    const { out } = await run(home, ['config', '--client', 'cursor', '.', '~/project', '${workspaceFolder}']);
    expect(JSON.parse(out)).toMatchObject({
      mcpServers: {
        rootward: { args: ['-y', 'rootward', home, join(home, 'project'), '${workspaceFolder}'] },
      },
    });
  });

  test('asks for folders only where naming them would help', async () => {
    expect(await noteOf('windsurf')).toContain('does not report its folders');
    const bare = await noteOf('windsurf', '--name', 'git', '--', 'uvx', 'a b');
    expect(bare).toContain(`npx -y rootward config --client windsurf --name git . -- uvx 'a b'\n`);
    expect(await noteOf('windsurf', '--name', 'git', 'project', '--', 'uvx')).not.toContain('its folders');
    expect(await noteOf('cursor')).not.toContain('does not report its folders');
    expect(await noteOf('windsurf', 'project')).not.toContain('does not report its folders');
    expect(await noteOf('windsurf', '--url', 'http://h/mcp')).not.toContain('does not report its folders');
  });

  test.each([
    [['--token', 'a'], '--token'],
    [['--url', 'http://h/mcp', '/folder'], '"/folder"'],
    [['--url', 'h/mcp'], '"h/mcp" as --url'],
    [['missing'], 'missing" as a root: it does not exist (given by an argument)'],
    [['/a\nb'], String.raw`"/a\nb": it holds a control character`],
  ])('%j exits with 2 and names what it has no use for', async (args, culprit) => {
    const { code, out, err } = await run(makeHome(), ['config', '--client', 'cursor', ...args]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(culprit);
  });

  test('without a client exits with 2 and lists them', async () => {
    expect(await run(makeHome(), ['config'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('windsurf'),
    });
  });
});
