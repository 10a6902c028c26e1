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

  const { tools, problems } = await discoverTools(project, new Set(['read_file']));
  expect(tools.map(({ metadata, file }) => [metadata.name, file.slice(project.length)])).toEqual([
    ['good', '/tools/good/tool.sh'],
    ['inline', '/tools/inline'],
    ['python', '/tools/python/main.py'],
  ]);
  expect(problems.map((problem) => describeProblem(problem).replaceAll(project, ''))).toEqual([
    expect.stringContaining('/tools/json/tool.meta.json: it is not JSON'),
    'Cannot use /tools/plain/tool.sh: it has no run bit (chmod +x)',
    expect.stringContaining('/tools/two: it holds several executables (a, b)'),
    'Cannot use /tools/unmarked: it has no run bit (chmod +x)',
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
