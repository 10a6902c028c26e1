import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PassingAnswer } from '../../src/wire/passing-answer.js';

function cut(bytes: Buffer, size: number): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

function pass(text: string | Buffer, size: number, added?: string): { id: string | undefined; out: string } {
  const answer = new PassingAnswer(added);
  const out: Buffer[] = [];
  for (const piece of cut(Buffer.from(text), size)) out.push(...(answer.push(piece) ?? []));
  const id = answer.finish();
  out.push(PassingAnswer.end(id === undefined ? undefined : '"new"', answer.abandon()));
  return { id, out: Buffer.concat(out).toString() };
}

const size = fc.integer({ min: 1, max: 40 });

describe('PassingAnswer', () => {
  test('adds members to the result, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((name) => name !== '+'),
          fc.jsonValue(),
        ),
        fc.boolean(),
        size,
        (result, isFirst, pieces) => {
          const message = isFirst
            ? { jsonrpc: '2.0', id: 1, result }
            : { result, more: {}, id: 1, jsonrpc: '2.0' };
          const passed = pass(
            JSON.stringify(message, null, isFirst ? undefined : ' ').replaceAll('\n', ' '),
            pieces,
            '"+":[1]',
          );
          expect(passed.id).toBe('1');
          const { result: out } = JSON.parse(passed.out) as { result: unknown };
          expect(out).toEqual({ '+': [1], ...(JSON.parse(JSON.stringify(result)) as object) });
        },
      ),
      { numRuns: 60 },
    );
    for (const result of ['"text"', '[]', '{"+":2}', '{"a":{"+":2},"+":3}'])
      expect(pass(`{"jsonrpc":"2.0","id":1,"result":${result}}`, 3, '"+":1').id).toBeUndefined();
    expect(pass('{"jsonrpc":"2.0","id":1,"result":{"a":{"+":2}}}', 3, '"+":1').id).toBe('1');
  });

  test('passes on any answer with another id, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.oneof(fc.string({ unit: 'binary' }), fc.integer()),
        fc.boolean(),
        size,
        (result, id, isFirst, pieces) => {
          const rest = { result, 'späte "x"': [1.5, true, null, '\u0000'] };
          const message = isFirst ? { jsonrpc: '2.0', id, ...rest } : { ...rest, id, jsonrpc: '2.0' };
          const passed = pass(
            JSON.stringify(message, null, isFirst ? undefined : '\t').replaceAll('\n', ' '),
            pieces,
          );
          expect(passed.id).toBe(JSON.stringify(id));
          expect(JSON.parse(passed.out)).toEqual(JSON.parse(JSON.stringify({ ...message, id: 'new' })));
        },
      ),
    );
  });

  test('keeps numbers and unknown members as they are written', () => {
    const value = '{"a":1.0,"b":12345678901234567890,"c":[1E+400, -0.5e-7]}';
    const { out } = pass(`{"jsonrpc":"2.0","id":7,"result":${value},"future":[ 1.50 ]}`, 3);
    expect(out).toBe(`{"jsonrpc":"2.0","result":${value},"future":[ 1.50 ],"id":"new"}`);
  });

  test('tells whether a tool failed', () => {
    for (const [result, isToolError] of [
      ['{"content":[],"isError":true}', true],
      ['{"isError":false,"x":{"isError":true}}', false],
      ['{"isError":"true"}', false],
    ] as const) {
      const answer = new PassingAnswer();
      for (const piece of cut(Buffer.from(`{"jsonrpc":"2.0","id":7,"result":${result}}`), 3))
        answer.push(piece);
      expect([answer.finish(), answer.isToolError]).toEqual(['7', isToolError]);
    }
  });

  test('what is cut off becomes a valid message without an id', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), size, (result, at, pieces) => {
        const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 7, result, more: 'ä' }));
        const { id, out } = pass(bytes.subarray(0, 1 + (at % (bytes.length - 1))), pieces);
        expect(id).toBeUndefined();
        const message = JSON.parse(out) as object;
        expect(message).toMatchObject({ jsonrpc: '2.0', method: expect.stringContaining('incomplete') });
        expect(message).not.toHaveProperty('id');
      }),
    );
  });

  test('accepts what JSON.parse accepts, and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), fc.nat(127), size, (result, at, code, pieces) => {
        const bytes = Buffer.from(JSON.stringify({ result, jsonrpc: '2.0', id: 7 }));
        // One byte of the result is another one.
        const where = 10 + (at % (bytes.length - 32));
        if (code !== 0x0a) bytes[where] = code;
        let expected = true;
        try {
          JSON.parse(bytes.toString());
        } catch {
          expected = false;
        }
        expect(pass(bytes, pieces).id).toBe(expected ? '7' : undefined);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['a request', '{"jsonrpc":"2.0","id":1,"method":"x","result":1}'],
    ['an error', '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}'],
    ['another version', '{"jsonrpc":"1.0","id":1,"result":1}'],
    ['a member named twice', '{"jsonrpc":"2.0","id":1,"result":1,"res\\u0075lt":1}'],
    ['an id that is none', '{"jsonrpc":"2.0","id":{},"result":1}'],
    ['two messages', '{"jsonrpc":"2.0","id":1,"result":1}{}'],
    ['a list', '[{"jsonrpc":"2.0","id":1,"result":1}]'],
    ['too deep nesting', `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(600)}${']'.repeat(600)}}`],
  ])('does not take %s for an answer', (_, text) => {
    const { id, out } = pass(text, 5);
    expect(id).toBeUndefined();
    expect(out).not.toContain('"id":"new"');
  });

  test('does not pass on bytes that are no UTF-8', () => {
    const text = Buffer.from('{"jsonrpc":"2.0","id":1,"result":"?"}');
    text[text.indexOf('?')] = 0xff;
    const { id, out } = pass(text, 7);
    expect(id).toBeUndefined();
    expect(JSON.parse(out)).toBeTypeOf('object');
  });
});
