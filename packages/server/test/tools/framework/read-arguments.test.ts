import { RootwardError } from '@rootward/core';
import { expect, test } from 'vitest';
import { inputOf, listedSchemas } from '../../../src/tools/framework/listed-schema.js';
import { readArguments, SYNONYMS } from '../../../src/tools/framework/read-arguments.js';
import { selectTools } from '../../../src/tools/register-tools.js';

const tools = new Map(selectTools({}).map((tool) => [tool.name, tool]));

function read(name: string, given: unknown): Record<string, unknown> {
  const tool = tools.get(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return readArguments(name, given, inputOf(tool), listedSchemas(tool).inputSchema);
}

function refusal(name: string, given: unknown): RootwardError {
  try {
    read(name, given);
  } catch (error) {
    if (error instanceof RootwardError) return error;
  }
  throw new Error('the call was not refused');
}

test.each([
  ['read_text_file', { file_path: 'a.ts' }, { path: 'a.ts' }],
  ['read_text_file', { path: 'a.ts', start_line: 11, end_line: 20 }, { path: 'a.ts', offset: 10, limit: 10 }],
  ['read_text_file', { path: 'a.ts', start_line: 3 }, { path: 'a.ts', offset: 2 }],
  ['outline', { path: 'a.ts' }, { file: 'a.ts' }],
  [
    'search_content',
    { query: 'x', include: '*.ts', '-i': true },
    { pattern: 'x', glob: '*.ts', ignoreCase: true },
  ],
  ['search_content', { pattern: 'x', ignore_case: true }, { pattern: 'x', ignoreCase: true }],
  ['move_file', { from: 'a', to: 'b' }, { source: 'a', destination: 'b' }],
  [
    'edit_file',
    { file_path: 'a.ts', old_string: 'x', new_string: 'y', replace_all: true },
    { path: 'a.ts', edits: [{ oldText: 'x', newText: 'y', replaceAll: true }] },
  ],
  [
    'edit_file',
    { path: 'a.ts', edits: [{ old_str: 'x', new_str: 'y' }] },
    { path: 'a.ts', edits: [{ oldText: 'x', newText: 'y' }] },
  ],
])('readArguments() takes names of other tools as what they mean: %s %j', (name, given, meant) => {
  expect(read(name, given)).toMatchObject(meant);
});

test.each([
  ['read_text_file', { path: 'a', limitt: 3 }, '"limitt" is not one of its arguments; did you mean "limit"?'],
  ['search_content', { pattern: 'x', output_mode: 'count' }, '"output_mode" is not one of its arguments'],
  ['edit_file', { path: 'a', edits: [{ oldText: 'x', new: 'y' }] }, '"edits[0].new" is not one of'],
  ['edit_file', { path: 'a', edits: [{ oldText: 'x' }] }, '"edits[0].newText" is missing'],
  ['read_text_file', { path: 'a', file_path: 'b' }, '"path" is given twice, once as "file_path"'],
  ['read_text_file', { limit: 3 }, '"path" is missing (given: "limit")'],
  ['read_text_file', { path: 'a', limit: 'ten' }, '"limit" must be a number, not "ten"'],
  ['read_text_file', 'a.ts', 'its arguments must be an object, not "a.ts"'],
  ['read_text_file', { path: 'a', constructor: 1 }, '"constructor" is not one of its arguments'],
])('readArguments() refuses in plain words: %s %j', (name, given, message) => {
  expect(refusal(name, given).message).toContain(`Cannot call ${name}: `);
  expect(refusal(name, given).message).toContain(message);
});

test.each([...tools.keys()])('readArguments() shows a call of %s that it accepts itself', (name) => {
  const { instruction = '' } = refusal(name, { 'no such argument': 1 });
  const example: unknown = JSON.parse(/Example: (.*)$/.exec(instruction)?.[1] ?? '');
  expect(() => read(name, example)).not.toThrow();
});

test('every synonym is of use for some tool', () => {
  const known = new Set(
    [...tools.values()].flatMap((tool) => {
      const { properties } = listedSchemas(tool).inputSchema as { readonly properties: object };
      return JSON.stringify(properties).match(/"[A-Za-z]+"(?=:\{)/g) ?? [];
    }),
  );
  for (const [name, meant] of Object.entries(SYNONYMS)) {
    expect([name, meant.some((each) => known.has(`"${each}"`))]).toEqual([name, true]);
  }
});
