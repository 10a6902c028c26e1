import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswer, type RunFacts } from '../../../src/exec/answer/tool-result.js';

function facts(stdout: Buffer | string, rest: Partial<RunFacts> = {}): RunFacts {
  return {
    name: 'tool',
    outcome: {
      end: 'exited',
      code: 0,
      signal: null,
      stdout: Buffer.from(stdout),
      stderr: '',
      cause: undefined,
    },
    errorFile: undefined,
    timeoutMs: 1000,
    maxOutputBytes: 100,
    ...rest,
  };
}

function protocolError(errorFile: string): unknown {
  return readAnswer(facts('fine', { errorFile }));
}

test('readAnswer() makes a result of whatever bytes a tool prints', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const answer = readAnswer(facts(Buffer.from(bytes)));
      expect(answer).toMatchObject({ kind: 'result', result: { content: expect.any(Array) as unknown } });
    }),
  );
});

function whole(text: string): string {
  return JSON.stringify({ content: [{ type: 'text', text }], isError: false });
}

test('readAnswer() takes the first of several whole results, and leaves lines of data as they are', () => {
  expect(readAnswer(facts(`${whole('first')}\n${whole('second')}\n`))).toEqual({
    kind: 'result',
    result: { content: [{ type: 'text', text: 'first' }], isError: false },
  });
  for (const printed of ['{"a":1}\n{"a":2}\n', `${whole('first')}\n{"a":2}\n`, `note\n${whole('only')}\n`]) {
    expect(readAnswer(facts(printed))).toEqual({
      kind: 'result',
      result: { content: [{ type: 'text', text: printed }] },
    });
  }
});

test('readAnswer() shows no half characters of an output that is cut', () => {
  const stdout = Buffer.from('x' + '😀'.repeat(40_000));
  const { outcome } = facts('');
  const answers = [
    readAnswer(facts('', { outcome: { ...outcome, stdout, end: 'too-much-output' } })),
    readAnswer(facts('x' + '\u0001😀'.repeat(4_000_000))),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(answer)).not.toMatch(/\\ud[89a-f]/i);
  }
});

test('readAnswer() replaces half characters in data', () => {
  const printed = String.raw`{"name \udcff":["\udcff","\ud83d\ude00"]}`;
  expect(readAnswer(facts(printed))).toMatchObject({
    result: { structuredContent: { 'name \uFFFD': ['\uFFFD', '😀'] } },
  });
});

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

test('readAnswer() takes JSON that is nested more deeply than clients read for text', () => {
  expect(readAnswer(facts(nested(100)))).toHaveProperty('result.structuredContent.a');
  for (const levels of [101, 100_000]) {
    const answer = readAnswer(facts(nested(levels)));
    expect(answer).toEqual({
      kind: 'result',
      result: { content: [{ type: 'text', text: nested(levels) }] },
    });
  }
});

test('readAnswer() shows blocks that no client could read as text', () => {
  const bad = [
    { type: 'text', text: 'x', annotations: { audience: 'bob' } },
    { type: 'resource', resource: { uri: 'file:///a' } },
    { type: 'image', data: 'no base64 !', mimeType: 'image/png' },
    null,
  ];
  const good = { type: 'text', text: 'fine', annotations: { priority: 1 } };
  const answer = readAnswer(facts(JSON.stringify({ content: [good, ...bad] })));
  expect(answer).toEqual({
    kind: 'result',
    result: { content: [good, ...bad.map((block) => ({ type: 'text', text: JSON.stringify(block) }))] },
  });
});

test('readAnswer() takes what is in the error file for an error of the protocol, whatever it is', () => {
  expect(protocolError('{"code":-1,"message":"m","data":null}')).toEqual({
    kind: 'protocol-error',
    code: -1,
    message: 'm',
  });
  expect(protocolError('plain words\n')).toMatchObject({ code: -32_603, message: 'plain words' });
  expect(protocolError('{"code":"x"}')).toMatchObject({ code: -32_603, message: 'The tool failed' });
  expect(protocolError(' ')).toMatchObject({ kind: 'result' });
});

test('readAnswer() does not send large data twice', () => {
  const answer = readAnswer(facts(JSON.stringify({ long: 'x'.repeat(5_000_000) })));
  expect(answer.kind === 'result' && answer.result.content).toEqual([
    { type: 'text', text: expect.stringMatching(/^\[\d+ characters of JSON/) as string },
  ]);
});

test.each([
  ['text', '\n'.repeat(9_500_000), undefined],
  ['JSON', JSON.stringify({ rows: '"'.repeat(2_000_000) }), undefined],
  ['an error', '', '"'.repeat(9_500_000)],
])('readAnswer() sends no answer of %s that would end the connection of a client', (_, stdout, errorFile) => {
  const answer = readAnswer(facts(stdout, { errorFile }));
  expect(answer).toMatchObject({
    kind: 'result',
    result: { isError: true, content: [{ text: expect.stringContaining('more than a client can take') }] },
  });
  expect(JSON.stringify(answer).length).toBeLessThan(1_000_000);
});
