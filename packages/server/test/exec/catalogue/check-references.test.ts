import { describe, expect, test } from 'vitest';
import { lazyCheck } from '../../../src/exec/catalogue/argument-schema.js';
import { checkReferences } from '../../../src/exec/catalogue/check-references.js';

const text = { type: 'string' };

describe('checkReferences()', () => {
  test.each([
    ['the schema itself', '#', {}],
    ['a definition', '#/$defs/text', { $defs: { text } }],
    ['a definition by another', '#/$defs/name', { $defs: { name: { $ref: '#/$defs/text' }, text } }],
    ['an odd name', '#/$defs/b~1c%20d', { $defs: { 'b/c d': text } }],
    ['a place of one’s own', '#/x-own/text', { 'x-own': { text } }],
    ['an anchor', '#text', { $defs: { some: { $anchor: 'text', ...text } } }],
    ['an address', 'text', { $defs: { some: { $id: 'text', ...text } } }],
    ['a place under an address', 'other#/$defs/text', { $defs: { o: { $id: 'other', $defs: { text } } } }],
    [
      'a place in a schema with an address',
      '#/$defs/text',
      { $id: 'https://example.com/a', $defs: { text } },
    ],
    [
      'a place in an inner schema',
      'o',
      { $defs: { o: { $id: 'o', $ref: '#/$defs/text', $defs: { text } } } },
    ],
    ['a schema that is false', '#/$defs/never', { $defs: { never: false } }],
  ])('takes a reference to %s, as the validator does', async (_what, $ref, rest) => {
    const schema = { ...rest, type: 'object', properties: { a: { $ref } } };
    expect(checkReferences(schema, 'x')).toEqual([]);
    await expect(lazyCheck(schema)({ a: 7 })).resolves.toMatch(/\ba: /);
  });

  test.each([
    ['nowhere', '#/$defs/text', {}],
    ['what is no schema', '#/x-own', { 'x-own': 'text' }],
    ['an anchor that is not there', '#text', {}],
    ['another document', 'https://example.com/schema.json', {}],
    ['out of an inner schema', 'o', { $defs: { o: { $id: 'o', $ref: '#/$defs/text' }, text } }],
    ['what is no text', 7, {}],
    ['the schema itself without a word', '', {}],
  ])('refuses a reference to %s, as the validator does', async (_what, $ref, rest) => {
    const schema = { ...rest, type: 'object', properties: { a: { $ref } } };
    expect(checkReferences(schema, 'x')[0]).toEqual({
      field: 'x.properties.a.$ref',
      message: `${JSON.stringify($ref)} is not found in this schema`,
    });
    await expect(lazyCheck(schema)({ a: {} })).rejects.toThrow('Unresolved');
  });

  test('refuses references that lead in a circle', () => {
    const $defs = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } };
    const messages = checkReferences({ $defs }, 'x').map(({ field, message }) => `${field}: ${message}`);
    expect(messages).toEqual([
      'x.$defs.a.$ref: "#/$defs/b" refers to itself',
      'x.$defs.b.$ref: "#/$defs/a" refers to itself',
    ]);
  });

  test('refuses addresses that are none, or are there twice', () => {
    const $defs = { a: { $id: 'one' }, b: { $id: 'one' } };
    const faults = checkReferences({ $id: 'http://[', $defs }, 'x');
    expect(faults.map(({ field }) => field)).toEqual(['x.$id', 'x.$defs.b.$id']);
  });

  test('takes what only looks like a reference for data', () => {
    const properties = {
      $ref: text,
      a: { const: { $ref: '#/nowhere' } },
      b: { default: { $ref: '#/nowhere' } },
    };
    expect(checkReferences({ properties }, 'x')).toEqual([]);
  });
});
