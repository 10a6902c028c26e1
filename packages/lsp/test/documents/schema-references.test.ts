import { beforeEach, expect, test } from 'vitest';
import type { Workspace } from '@rootward/core';
import { SchemaReferences } from '../../src/documents/schema-references.js';
import type { Folder } from '../fixtures/folder.js';
import { openFolders } from '../fixtures/live-workspace.js';

let home: Folder;
let workspace: Workspace;
let schemas: SchemaReferences;

beforeEach(async () => {
  ({ home, workspace } = await openFolders(
    {
      'root/schema.json': '{"properties":{"a":{"type":"number","$ref":"/etc/hosts"},"b":{"$ref":"#/x"}}}',
      'out/schema.json': '{"title":"secret"}',
    },
    'root',
  ));
  schemas = new SchemaReferences();
});

test.each([
  '# yaml-language-server: $schema=schema.json\na: 1\n',
  '# $schema: ./schema.json\na: 1\n',
  '$schema: "schema.json"\na: 1\n',
])('SchemaReferences stands for a file in scope without moving anything: %j', async (text) => {
  const masked = schemas.mask(workspace.scope(), home.at('root/a.yaml'), text);
  const standIn = /http:\w+/.exec(masked)![0];
  expect(masked).toHaveLength(text.length);
  expect(masked.indexOf('a: 1')).toBe(text.indexOf('a: 1'));
  expect(JSON.parse(await schemas.read(workspace.scope(), standIn))).toEqual({
    properties: { a: { type: 'number' }, b: { $ref: '#/x' } },
  });
});

test('SchemaReferences leaves alone what is out of scope, and reads none of it', async () => {
  const scope = workspace.scope();
  for (const name of ['../out/schema.json', home.at('out/schema.json'), 'https://example.com/s.json']) {
    const text = `$schema: ${name}\n`;
    const masked = schemas.mask(scope, home.at('root/a.yaml'), text);
    expect(masked).toBe(text);
  }
  await expect(schemas.read(scope, `file://${home.at('out/schema.json')}`)).rejects.toThrow('Cannot');
  await expect(schemas.read(scope, 'https://example.com/s.json')).rejects.toThrow('only files in the roots');
});
