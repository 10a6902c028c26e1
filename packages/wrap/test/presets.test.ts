import { describe, expect, it } from 'vitest';
import { findPreset, PRESETS, withPreset } from '../src/presets.js';

const words = (line: string): readonly string[] => line.split(' ');

describe('presets', () => {
  it.each([
    [
      'npx -y @modelcontextprotocol/server-filesystem',
      'npx -y @modelcontextprotocol/server-filesystem {roots}',
    ],
    ['uvx mcp-server-git -v', 'uvx mcp-server-git -v --repository {root}'],
    ['python -m mcp_server_git', 'python -m mcp_server_git --repository {root}'],
    [
      'uvx --from git+https://github.com/oraios/serena serena start-mcp-server',
      'uvx --from git+https://github.com/oraios/serena serena start-mcp-server --project {root}',
    ],
    // What follows is for the language server.
    [
      'mcp-language-server --lsp pyright-langserver -- --stdio',
      'mcp-language-server --lsp pyright-langserver --workspace {root} -- --stdio',
    ],
    ['/usr/local/bin/mcp-filesystem-server', '/usr/local/bin/mcp-filesystem-server {roots}'],
  ])('%s', (line, expected) => {
    expect(withPreset(words(line)).join(' ')).toBe(expected);
  });

  it.each([
    'node server.js',
    'npx @modelcontextprotocol/server-filesystem /data',
    'uvx mcp-server-git --repository=/data',
    'uvx mcp-server-git -r /data',
    'serena start-mcp-server --project-from-cwd',
    'mcp-language-server --workspace /data --lsp gopls',
  ])('%s needs nothing more', (line) => {
    expect(findPreset(words(line))).toBeUndefined();
    expect(withPreset(words(line)).join(' ')).toBe(line);
  });

  it('name a source each', () => {
    for (const { source } of PRESETS) expect(source).toMatch(/^https:\/\//);
  });
});
