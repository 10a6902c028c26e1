import { expect, test } from 'vitest';
import { selectTools } from '../../src/tools/register-tools.js';
import { makeTree } from '../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../fixtures/tools-client.js';

const tree = makeTree({ 'a/name.txt': 'a', 'b/name.txt': 'b' });
const A = { workspace: { environment: {}, home: '/nonexistent', roots: [tree.path('a')] } };

const REFERENCE_TOOLS = [
  'read_file',
  'read_text_file',
  'read_media_file',
  'read_multiple_files',
  'write_file',
  'edit_file',
  'create_directory',
  'list_directory',
  'list_directory_with_sizes',
  'directory_tree',
  'move_file',
  'search_files',
  'get_file_info',
  'list_allowed_directories',
];
const CODE_TOOLS = [
  'find_symbol',
  'definition',
  'references',
  'outline',
  'diagnostics',
  'rename_symbol',
  'edit_symbol',
  'symbol_relations',
];
const PROJECT_TOOLS = ['list_projects', 'category_list', 'category_content'];
const TOOLS = [
  'workspace_info',
  'switch_project',
  ...REFERENCE_TOOLS,
  'search_content',
  'copy_file',
  'delete_file',
  'change_history',
  'undo_changes',
  ...CODE_TOOLS,
  ...PROJECT_TOOLS,
];

test.each(ERAS)('registerTools() serves every tool to a %s client', async (era) => {
  const { client, close } = await connectTools({ ...A, era });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([...TOOLS].sort());
  await close();
});

test('the default tools/list of a legacy client has at most 24 KB, without $schema', async () => {
  const { client, close } = await connectTools(A);
  const listed = JSON.stringify(await client.listTools());
  expect(Buffer.byteLength(listed)).toBeLessThanOrEqual(24 * 1024);
  expect(listed).not.toContain('$schema');
  await close();
});

test('every tool has a title, a description and only the annotations that differ from the default', async () => {
  const { client, close } = await connectTools(A);
  for (const { name, title, description, annotations } of (await client.listTools()).tools) {
    expect([name, title, description]).toEqual([
      name,
      expect.stringMatching(/./),
      expect.stringMatching(/./),
    ]);
    expect(annotations).toMatchObject({ openWorldHint: false });
    const told = Object.entries(annotations ?? {});
    expect(told).not.toContainEqual(['readOnlyHint', false]);
    expect(told).not.toContainEqual(['destructiveHint', true]);
    expect(told).not.toContainEqual(['idempotentHint', false]);
  }
  await close();
});

test.each(ERAS)('tools list the workspace argument (%s)', async (era) => {
  const { client, close } = await connectTools({ ...A, era });
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    expect([name, 'workspace' in (inputSchema.properties ?? {})]).toEqual([name, true]);
  }
  await close();
});

test('readOnly leaves out what changes files, and nothing else', () => {
  const all = selectTools({}).map(({ name }) => name);
  const kept = new Set(selectTools({ readOnly: true }).map(({ name }) => name));
  expect(all.filter((name) => !kept.has(name)).sort()).toEqual([
    'copy_file',
    'create_directory',
    'delete_file',
    'edit_file',
    'edit_symbol',
    'move_file',
    'rename_symbol',
    'undo_changes',
    'write_file',
  ]);
});

test('tools that change files are left out of toolsets that may not', () => {
  const names = selectTools({ toolsets: ['files', 'code'], changing: ['code'] }).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['read_text_file', 'outline', 'edit_symbol', 'switch_project']),
  );
  expect(names).not.toContain('write_file');
  expect(selectTools({ readOnly: true, changing: ['code'] }).map(({ name }) => name)).not.toContain(
    'edit_symbol',
  );
});

test('the tools of the history are left out where none is kept', () => {
  const names = selectTools({ history: false }).map(({ name }) => name);
  expect(names).toContain('write_file');
  expect(names).not.toContain('change_history');
  expect(names).not.toContain('undo_changes');
});

test('the workspace toolset is there whatever toolsets are named', () => {
  expect(selectTools({ toolsets: [] }).map(({ name }) => name)).toEqual(['workspace_info', 'switch_project']);
  const files = TOOLS.filter((name) => !PROJECT_TOOLS.includes(name) && !CODE_TOOLS.includes(name));
  expect(selectTools({ toolsets: ['files'] })).toHaveLength(files.length);
});

test('a modern path tool takes a handle, and fails with a bad one', async () => {
  const { call, data, text, close } = await connectTools({ era: 'modern', roots: [tree.uri('a')] });
  const { workspace } = await data('workspace_info');
  expect(await text('read_text_file', { path: 'name.txt', workspace })).toBe('a');
  expect(reportOf(await call('read_text_file', { path: 'name.txt', workspace: 'x' }))).toMatchObject({
    error_type: 'invalid_handle',
  });
  await close();
});

test.each(ERAS)('every path of a call is audited once, without contents (%s)', async (era) => {
  const { call, audit, close } = await connectTools({ ...A, era });
  await call('read_text_file', { path: 'name.txt' });
  await call('read_text_file', { path: tree.path('b/name.txt') });
  await call('read_multiple_files', { paths: ['name.txt', '/etc/passwd'] });
  await call('move_file', { source: 'name.txt', destination: tree.path('b/x.txt') });
  await call('workspace_info', { path: '/etc' });
  await call('list_allowed_directories');
  await call('search_content', { pattern: '.' });
  await call('search_content', { pattern: '.', path: '.' });
  expect(audit).toEqual([
    { tool: 'read_text_file', path: 'name.txt', decision: 'allowed' },
    { tool: 'read_text_file', path: tree.path('b/name.txt'), decision: 'refused', reason: 'outside-roots' },
    { tool: 'read_multiple_files', path: 'name.txt', decision: 'allowed' },
    { tool: 'read_multiple_files', path: '/etc/passwd', decision: 'refused', reason: 'outside-roots' },
    { tool: 'move_file', path: 'name.txt', decision: 'refused', reason: 'outside-roots' },
    { tool: 'move_file', path: tree.path('b/x.txt'), decision: 'refused', reason: 'outside-roots' },
    { tool: 'workspace_info', path: '/etc', decision: 'refused', reason: 'outside-roots' },
    { tool: 'search_content', path: tree.path('a/name.txt'), decision: 'allowed' },
    { tool: 'search_content', path: '.', decision: 'allowed' },
  ]);
  await close();
});

test.each(ERAS)('without roots every path is refused with an instruction (%s)', async (era) => {
  const { call, close } = await connectTools({ era });
  for (const tool of selectTools({})) {
    const values: Readonly<Record<string, unknown>> = {
      path: 'x',
      pattern: 'x',
      content: '',
      edits: [],
      source: 'x',
      id: 'x',
      destination: 'y',
    };
    const taken = Object.entries(values).filter(([argument]) => argument in tool.input().shape);
    const args = Object.fromEntries(taken);
    if (tool.toolset !== 'files' || tool.name === 'list_allowed_directories') continue;
    if (tool.name === 'read_multiple_files') continue;
    const report = reportOf(await call(tool.name, args));
    expect([tool.name, report['error_type']]).toEqual([tool.name, 'no_roots']);
    expect(report['instruction']).toMatch(/folder/);
  }
  await close();
});

test.each(ERAS)('~ means the home directory (%s)', async (era) => {
  const { text, call, close } = await connectTools({ ...A, era, tools: { home: tree.path('a') } });
  expect(await text('read_text_file', { path: '~/name.txt' })).toBe('a');
  expect(await text('list_directory', { path: '~' })).toContain('name.txt');
  expect(reportOf(await call('read_text_file', { path: '~/../b/name.txt' }))).toMatchObject({
    error_type: 'outside_roots',
  });
  await close();
});
