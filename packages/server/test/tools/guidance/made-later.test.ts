import { expect, test } from 'vitest';
import * as z from 'zod';
import { madeLater } from '../../../src/tools/guidance/made-later.js';

test('madeLater() makes a schema once, when it is first used, and answers as it does', async () => {
  const schema = z.object({ category: z.string().optional().describe('Which one') });
  let made = 0;
  const later = madeLater(() => {
    made += 1;
    return schema;
  });
  const { validate, jsonSchema } = later['~standard'];
  expect(made).toBe(0);
  expect(await validate({ category: 'a' })).toEqual({ value: { category: 'a' } });
  expect(await validate({ category: 1 })).toEqual(await schema['~standard'].validate({ category: 1 }));
  for (const io of ['input', 'output'] as const) {
    const options = { target: 'draft-2020-12' } as const;
    expect(jsonSchema[io](options)).toEqual(schema['~standard'].jsonSchema[io](options));
  }
  expect(made).toBe(1);
});
