export interface TemplateFile {
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
}

const DESCRIPTIONS = {
  'hello-shell': 'Greets, and says which roots there are (written in shell)',
  'hello-node': 'Counts the lines of a file inside the roots (written in Node)',
  'hello-python': 'Lists a folder inside the roots (written in Python)',
};

function metadata(name: keyof typeof DESCRIPTIONS, properties: object, required: readonly string[]): string {
  const value = {
    name,
    description: DESCRIPTIONS[name],
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

const SHELL = `#!/usr/bin/env bash
set -euo pipefail
source "\${MCP_SDK:?}/tool-sdk.sh"

name=$(mcp_args_require '.name')
mcp_log_info hello-shell "greeting $name"
mcp_result_success "$(mcp_json_obj greeting "Hello, $name" roots "$(mcp_roots_count)")"
`;

const NODE = `#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const { args, requirePath, result } = await import(\`\${process.env.MCP_SDK}/tool.mjs\`);

const path = requirePath(args().path);
result({ path, lines: readFileSync(path, 'utf8').split('\\n').length - 1 });
`;

const PYTHON = `#!/usr/bin/env python3
import os
import sys

sys.path.insert(0, os.environ["MCP_SDK"])
from rootward_tool import args, require_path, result

path = require_path(args().get("path", "."))
result({"path": path, "names": sorted(os.listdir(path))})
`;

function test(name: string, args: string, expected: string, own: string): string {
  return `#!/usr/bin/env bash
# ROOTWARD names the program; without it, the one on PATH runs, else the one that wrote this file.
set -euo pipefail
if [ -n "\${ROOTWARD:-}" ]; then read -ra program <<< "$ROOTWARD"
elif command -v rootward > /dev/null; then program=(rootward)
else program=(${own}); fi
project=$(cd "$(dirname "\${BASH_SOURCE[0]}")/.." && pwd)
output=$("\${program[@]}" run-tool ${name} --project "$project" --args '${args}')
case $output in
  *'${expected}'*) echo "ok ${name}" ;;
  *) echo "not ok ${name}: $output" >&2; exit 1 ;;
esac
`;
}

const RUN_ALL = `#!/usr/bin/env bash
# Runs the test of every tool.
set -euo pipefail
cd "$(dirname "\${BASH_SOURCE[0]}")"
for test in hello-*.sh; do "./$test"; done
`;

const readme = (own: string): string => `# Tools

Every folder in \`tools/\` with a \`tool.meta.json\` and an executable is a tool.

    ${own} run-tool hello-shell --args '{"name":"you"}'
    test/run.sh
    ${own} --project .

\`config/roots.json\` names the folders the tools may touch when the client names none.
`;

/** The files `rootward init --tools` writes. `own` runs this program from a shell. */
export function toolsTemplate(own: string): readonly TemplateFile[] {
  return [
    plain('README.md', readme(own)),
    plain(
      'config/roots.json',
      `${JSON.stringify({ roots: [{ path: './data', name: 'Data' }] }, undefined, 2)}\n`,
    ),
    plain('data/sample.txt', 'one\ntwo\nthree\n'),
    plain(
      'tools/hello-shell/tool.meta.json',
      metadata('hello-shell', { name: { type: 'string' } }, ['name']),
    ),
    runnable('tools/hello-shell/tool.sh', SHELL),
    plain('tools/hello-node/tool.meta.json', metadata('hello-node', { path: { type: 'string' } }, ['path'])),
    runnable('tools/hello-node/tool.mjs', NODE),
    plain('tools/hello-python/tool.meta.json', metadata('hello-python', { path: { type: 'string' } }, [])),
    runnable('tools/hello-python/tool.py', PYTHON),
    runnable('test/run.sh', RUN_ALL),
    runnable('test/hello-shell.sh', test('hello-shell', '{"name":"you"}', 'Hello, you', own)),
    runnable('test/hello-node.sh', test('hello-node', '{"path":"sample.txt"}', '"lines":3', own)),
    runnable('test/hello-python.sh', test('hello-python', '{"path":"data"}', '"sample.txt"', own)),
  ];
}

function plain(path: string, text: string): TemplateFile {
  return { path, text, executable: false };
}

function runnable(path: string, text: string): TemplateFile {
  return { path, text, executable: true };
}
