import { describe, expect, test } from 'vitest';
import { findHeader } from '../../../src/exec/catalogue/script-header.js';
import { readMetadata } from '../../../src/exec/catalogue/tool-metadata.js';

describe('readMetadata()', () => {
  test('takes the name of the folder where none is given, and fills in the rest', () => {
    expect(readMetadata({}, 'folder')).toMatchObject({
      metadata: { name: 'folder', description: '', inputSchema: { type: 'object' }, cwd: 'project' },
    });
  });

  test('allows dotted names of up to 128 characters', () => {
    expect(readMetadata({ name: 'example.roots.read' }, 'x')).toHaveProperty('metadata');
    expect(readMetadata({ name: 'a'.repeat(128) }, 'x')).toHaveProperty('metadata');
  });

  test.each([
    ['no object', [], ''],
    ['a name with a blank', { name: 'a b' }, 'name'],
    ['a name that is too long', { name: 'a'.repeat(129) }, 'name'],
    ['a name that every object has', { name: 'constructor' }, 'name'],
    ['what is nested too deeply', { 'x-own': JSON.parse('['.repeat(9000) + ']'.repeat(9000)) }, ''],
    ['a description that is no text', { description: 1 }, 'description'],
    ['a timeout of nothing', { timeoutSecs: 0 }, 'timeoutSecs'],
    ['a place that is none', { cwd: 'home' }, 'cwd'],
    ['arguments that are no object', { inputSchema: { type: 'string' } }, 'inputSchema.type'],
    [
      'a type that is none',
      { inputSchema: { properties: { a: { type: 'strin' } } } },
      'inputSchema.properties.a.type',
    ],
    ['required that is no list', { inputSchema: { required: 'a' } }, 'inputSchema.required'],
    [
      'a pattern that is none',
      { inputSchema: { properties: { a: { items: { pattern: '(' } } } } },
      'inputSchema.properties.a.items.pattern',
    ],
    ['alternatives that are no list', { outputSchema: { anyOf: {} } }, 'outputSchema.anyOf'],
    [
      'a broken alternative',
      { outputSchema: { oneOf: [true, { properties: [] }] } },
      'outputSchema.oneOf.1.properties',
    ],
    [
      'choices that are no list',
      { inputSchema: { properties: { a: { enum: 'x' } } } },
      'inputSchema.properties.a.enum',
    ],
    [
      'names by a pattern that is none',
      { inputSchema: { patternProperties: { '(': {} } } },
      'inputSchema.patternProperties',
    ],
    [
      'a reference to nothing',
      { inputSchema: { properties: { a: { $ref: '#/$defs/text' } }, $defs: {} } },
      'inputSchema.properties.a.$ref',
    ],
    [
      'a reference that the validator passes over',
      { inputSchema: { properties: { a: { $dynamicRef: '#a' } } } },
      'inputSchema.properties.a.$dynamicRef',
    ],
    ['a hint that is no boolean', { annotations: { readOnlyHint: 'yes' } }, 'annotations.readOnlyHint'],
  ])('names the field of %s', (_what, value, field) => {
    expect(readMetadata(value, 'x')).toMatchObject({ faults: [{ field }] });
  });
});

test('readMetadata() speaks of what to write, not in the words of a library', () => {
  const value = { name: 5, timeoutSecs: 'x', cwd: 'home', annotations: { readOnlyHint: 'yes' } };
  expect(readMetadata(value, 'x')).toMatchObject({
    faults: [
      { field: 'name', message: 'it must be a string' },
      { field: 'annotations.readOnlyHint', message: 'it must be a boolean' },
      { field: 'timeoutSecs', message: 'it must be a number' },
      { field: 'cwd', message: 'it must be "project" or "root"' },
    ],
  });
});

describe('findHeader()', () => {
  test('finds the JSON after "# mcp:" or "// mcp:" near the start, at its place in the file', () => {
    expect(findHeader('#!/bin/sh\n# mcp: {"name":"a"}\n')).toEqual({ json: '\n       {"name":"a"}' });
    expect(findHeader('#!/usr/bin/env node\n//mcp:{"name":"b"} \r\nx')).toEqual({
      json: '\n      {"name":"b"}',
    });
  });

  test('finds none in other text', () => {
    expect(findHeader('echo "# mcp: {}"\n# mcp: see below\n')).toBeUndefined();
  });
});
