import { expect, test } from 'vitest';
import { argumentSchema } from '../../../src/exec/catalogue/argument-schema.js';

const OBJECT = { type: 'object', properties: { n: { type: 'integer' } } };

async function validate(args: unknown, schema: object = OBJECT): Promise<unknown> {
  return argumentSchema({ ...schema })['~standard'].validate(args);
}

test('argumentSchema() takes the handle out of the arguments of a tool', async () => {
  expect(await validate({ n: 1, workspace: 'h' })).toEqual({ value: { tool: { n: 1 }, workspace: 'h' } });
});

test('argumentSchema() leaves a tool the workspace argument of its own', async () => {
  const own = { type: 'object', properties: { workspace: { type: 'integer' } } };
  expect(await validate({ workspace: 5 }, own)).toEqual({ value: { tool: { workspace: 5 } } });
});

test.each([5, null, {}, ['h'], false])(
  'argumentSchema() refuses %j for a handle, and never goes on without',
  async (workspace) => {
    expect(await validate({ n: 1, workspace })).toEqual({
      issues: [{ message: expect.stringMatching(/^workspace: expected a string/) as unknown }],
    });
  },
);

test.each([
  [{}, '"n" is missing'],
  [{ n: 'x' }, 'n: expected integer, received string'],
  [{ n: 1, inner: {} }, 'inner: "m" is missing'],
  [{ n: 1, inner: { m: 1 } }, 'inner/m: expected string, received number'],
  [{ n: 1, elsewhere: 1 }, 'elsewhere: expected string, received number'],
])('argumentSchema() says what is wrong with %j', async (args, message) => {
  const inner = { type: 'object', properties: { m: { type: 'string' } }, required: ['m'] };
  const elsewhere = { $ref: '#/$defs/text' };
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer' }, inner, elsewhere },
    required: ['n'],
    $defs: { text: { type: 'string' } },
  };
  expect(await validate(args, schema)).toEqual({ issues: [{ message }] });
});

test.each([
  [{ x: 1 }, 'unknown argument "x"'],
  [{ inner: { y: 1 } }, 'inner: unknown argument "y"'],
  [{ mode: 'c' }, 'mode: it must be one of ["a","b"]'],
  [{ n: 0 }, 'n: it must be at least 1'],
  [{ n: 9 }, 'n: it must be at most 5'],
  [{ list: ['a', 1] }, 'list/1: expected string, received number'],
  [{ text: 'x' }, 'text: it does not match its pattern'],
])('argumentSchema() speaks of arguments, not of schemas: %j', async (args, message) => {
  const schema = {
    type: 'object',
    properties: {
      inner: { type: 'object', properties: {}, additionalProperties: false },
      mode: { enum: ['a', 'b'] },
      n: { type: 'integer', minimum: 1, maximum: 5 },
      list: { type: 'array', items: { type: 'string' } },
      text: { type: 'string', pattern: '^y' },
    },
    additionalProperties: false,
  };
  expect(await validate(args, schema)).toEqual({ issues: [{ message }] });
});
