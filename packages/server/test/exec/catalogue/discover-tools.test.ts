import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { discoverTools } from '../../../src/exec/catalogue/discover-tools.js';
import { describeProblem } from '../../../src/exec/catalogue/executable-tool.js';

const project = mkdtempSync(join(tmpdir(), 'rootward-discover-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

function write(path: string, text: string, mode = 0o644): void {
  const file = join(project, 'tools', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

test('discoverTools() finds what is a tool, says what is wrong with the rest, and overlooks everything else', async () => {
  write('good/tool.meta.json', '\uFEFF{"name":"good"}');
  write('good/tool.sh', '#!/bin/sh\n', 0o755);
  write('good/other', '#!/bin/sh\n', 0o755);
  write('python/tool.meta.json', '{}');
  write('python/main.py', '#!/usr/bin/env python3\n', 0o755);
  write('inline', '#!/bin/sh\n# mcp: {"description":"in one file"}\n', 0o755);
  write('lib/code.sh', 'no tool');
  write('notes.txt', 'no tool');
  write('.hidden/tool.meta.json', '{');
  write('json/tool.meta.json', '{');
  write('json/tool.sh', '#!/bin/sh\n', 0o755);
  write('plain/tool.meta.json', '{}');
  write('plain/tool.sh', '#!/bin/sh\n');
  write('two/tool.meta.json', '{}');
  write('two/a', '', 0o755);
  write('two/b', '', 0o755);
  write('zz-again/tool.meta.json', '{"name":"good"}');
  write('zz-again/tool.sh', '', 0o755);
  write('zz-taken/tool.meta.json', '{"name":"read_file"}');
  write('zz-taken/tool.sh', '', 0o755);
  write('unmarked', '# mcp: {"name":"unmarked"}\n');

  const { tools, problems } = await discoverTools(project, { reservedNames: new Set(['read_file']) });
  expect(tools.map(({ metadata, file }) => [metadata.name, file.slice(project.length)])).toEqual([
    ['good', '/tools/good/tool.sh'],
    ['inline', '/tools/inline'],
    ['plain', '/tools/plain/tool.sh'],
    ['python', '/tools/python/main.py'],
  ]);
  expect(problems.map((problem) => describeProblem(problem).replaceAll(project, ''))).toEqual([
    expect.stringContaining('/tools/json/tool.meta.json: it is not JSON'),
    expect.stringContaining('/tools/two: it holds several executables (a, b)'),
    expect.stringContaining('/tools/unmarked: it has no run bit (chmod +x), and neither a first line'),
    'Cannot use /tools/zz-again/tool.meta.json: name: "good" is taken by /tools/good/tool.meta.json',
    'Cannot use /tools/zz-taken/tool.meta.json: name: "read_file" is taken by the server itself',
  ]);
});

test('discoverTools() finds nothing where there is no such folder', async () => {
  expect(await discoverTools(join(project, 'missing'))).toEqual({ tools: [], problems: [] });
});

test.runIf(process.platform !== 'win32')(
  'discoverTools() reads no device, whatever a link says',
  async () => {
    const clone = join(project, 'clone');
    mkdirSync(join(clone, 'tools', 'endless'), { recursive: true });
    symlinkSync('/dev/zero', join(clone, 'tools', 'endless', 'tool.meta.json'));
    const { problems } = await discoverTools(clone);
    expect(problems.map((problem) => problem.message)).toEqual(['tool.meta.json is not a file']);
  },
);

test('discoverTools() names a tool after its whole folder, dots included', async () => {
  const other = mkdtempSync(join(tmpdir(), 'rootward-discover-'));
  for (const name of ['example.roots.list', 'example.roots.read']) {
    mkdirSync(join(other, 'tools', name), { recursive: true });
    writeFileSync(join(other, 'tools', name, 'tool.meta.json'), '{}');
    writeFileSync(join(other, 'tools', name, 'tool.sh'), '#!/bin/sh\n', { mode: 0o755 });
  }
  const { tools, problems } = await discoverTools(other);
  rmSync(other, { recursive: true });
  expect(tools.map(({ metadata }) => metadata.name)).toEqual(['example.roots.list', 'example.roots.read']);
  expect(problems).toEqual([]);
});

test.runIf(process.platform !== 'win32')(
  'discoverTools() runs a script without the run bit by its first line or by bash, inside the project only',
  async () => {
    const other = mkdtempSync(join(tmpdir(), 'rootward-discover-'));
    const outside = mkdtempSync(join(tmpdir(), 'rootward-outside-'));
    mkdirSync(join(other, 'tools', 'folder'), { recursive: true });
    const put = (path: string, text: string): void => writeFileSync(join(other, 'tools', path), text);
    put('folder/tool.sh', '#!/bin/sh -e\n# mcp: {"description":"header in a folder"}\n');
    put('beside.bash', 'echo 1\n');
    put('beside.meta.json', '{"name":"named-beside","arguments":{"type":"object","required":["a"]}}');
    put('spaced.sh', '#! /usr/bin/env -S node --no-warnings \n// mcp: {}\n');
    writeFileSync(join(outside, 'x.sh'), '# mcp: {}\n');
    symlinkSync(join(outside, 'x.sh'), join(other, 'tools', 'zz-link.sh'));
    const { tools, problems } = await discoverTools(other);
    rmSync(other, { recursive: true });
    rmSync(outside, { recursive: true });
    expect(tools.map(({ metadata, interpreter }) => [metadata.name, interpreter])).toEqual([
      ['named-beside', ['/usr/bin/env', 'bash']],
      ['folder', ['/bin/sh', '-e']],
      ['spaced', ['/usr/bin/env', '-S node --no-warnings']],
    ]);
    expect(tools[0]?.metadata.inputSchema).toEqual({ type: 'object', required: ['a'] });
    expect(problems.map(({ message }) => message)).toEqual([
      'it has no run bit (chmod +x), and leads outside the tools project',
    ]);
  },
);

test.each([
  ['unclosed', '#!/bin/sh\n# mcp: {"name":"a"\n', /the header at line 2 does not end on that line/],
  ['several lines', '# mcp: {\n#  "name": "a"\n# }\n', /the header at line 1 does not end on that line/],
  ['upper case', '#!/bin/sh\n# MCP: {"name":"a"}\n', /line 2 starts a header with "MCP:": write "mcp:"/],
  ['too far down', `${'#\n'.repeat(10)}# mcp: {"name":"a"}\n`, /the header at line 11 is too far down/],
  ['a trailing comma', '#!/bin/sh\n# mcp: {"name":"a",}\n', /at line 2, column 20$/],
])('discoverTools() names a header that cannot be used: %s', async (_what, text, message) => {
  const other = mkdtempSync(join(tmpdir(), 'rootward-discover-'));
  mkdirSync(join(other, 'tools'));
  writeFileSync(join(other, 'tools', 'a.sh'), text, { mode: 0o755 });
  const { tools, problems } = await discoverTools(other);
  rmSync(other, { recursive: true });
  expect(tools).toEqual([]);
  expect(problems.map((problem) => problem.message)).toEqual([expect.stringMatching(message)]);
});

test('discoverTools() names a folder with tool.sh and without metadata', async () => {
  const other = mkdtempSync(join(tmpdir(), 'rootward-discover-'));
  mkdirSync(join(other, 'tools', 'bare'), { recursive: true });
  writeFileSync(join(other, 'tools', 'bare', 'tool.sh'), '#!/bin/sh\n', { mode: 0o755 });
  const { problems } = await discoverTools(other);
  rmSync(other, { recursive: true });
  expect(problems.map(({ message }) => message)).toEqual([
    'tool.meta.json is missing, and tool.sh has no header "# mcp: {…}"',
  ]);
});
