import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanArray as scanArrayBytes, scanObject as scanObjectBytes } from '../../src/wire/scan-json.js';

const scanObject = (text: string): ReturnType<typeof scanObjectBytes> => scanObjectBytes(Buffer.from(text));
const scanArray = (text: string): ReturnType<typeof scanArrayBytes> => scanArrayBytes(Buffer.from(text));

function parses(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('scanObject()', () => {
  it.each([
    'result',
    'resulT',
    'rescue',
    'jsonrpc',
    'jsonrpd',
    'id',
    'iD',
    'i',
    'ID',
    '_meta',
    '_mete',
    'érror',
  ])('keeps the name %s apart from those that look like it', (name) => {
    const bytes = Buffer.from(JSON.stringify({ [name]: 1 }));
    expect([...(scanObjectBytes(bytes)?.keys() ?? [])]).toEqual([name]);
  });

  it('finds the members of any object where JSON.parse finds them', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, undefined, spaced ? 2 : undefined);
        const bytes = Buffer.from(text);
        const members = scanObjectBytes(bytes)!;
        const read = [...members].map(([name, { start, end }]) => [
          name,
          JSON.parse(bytes.toString('utf8', start, end)),
        ]);
        expect(Object.fromEntries(read)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('accepts nothing that JSON.parse refuses', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:\\0123eE+-.u \ttrfalsn\u0001'.split('')) });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        noise,
        fc.nat(),
        fc.nat(6),
        (value, junk, where, cut) => {
          const text = JSON.stringify(value);
          const at = where % (text.length + 1);
          const damaged = text.slice(0, at) + junk + text.slice(at + cut);
          if (scanObject(damaged) === undefined) return;
          expect(parses(damaged)).toBeTypeOf('object');
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('accepts the numbers that JSON.parse accepts, and no others', () => {
    const unit = fc.constantFrom(...'0123456789.-+eE'.split(''));
    const digits = fc.string({ unit, maxLength: 8 });
    fc.assert(
      fc.property(fc.oneof(digits, fc.double().map(String), fc.integer().map(String)), (word) => {
        expect(scanArray(`[${word}]`) === undefined).toBe(parses(`[${word}]`) === undefined);
      }),
      { numRuns: 5000 },
    );
  });

  it('refuses a member that is named twice, also with escapes', () => {
    expect(scanObject('{"id":1,"id":2}')).toBeUndefined();
    expect(scanObject(String.raw`{"id":1,"\u0069d":2}`)).toBeUndefined();
  });

  it('looks at a long string full of escapes once', () => {
    // With a search for its end after each escape, this would take minutes.
    const text = JSON.stringify({ text: 'a "line"\n'.repeat(500_000) });
    expect(scanObject(text)!.get('text')).toEqual({ start: 8, end: text.length - 1 });
  });

  it('refuses nesting that would overflow the stack', () => {
    expect(scanObject(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toBeUndefined();
  });
});

describe('scanArray()', () => {
  it('finds the elements of a list', () => {
    const text = '[1, {"a":[2]} ,"x"]';
    expect(scanArray(text)!.map(({ start, end }) => text.slice(start, end))).toEqual([
      '1',
      '{"a":[2]}',
      '"x"',
    ]);
    expect(scanArray('[]')).toEqual([]);
    expect(scanArray('[1,]')).toBeUndefined();
    expect(scanArray('{}')).toBeUndefined();
  });
});
