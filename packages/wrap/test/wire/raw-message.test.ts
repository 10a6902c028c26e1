import { describe, expect, it } from 'vitest';
import { RawMessage } from '../../src/wire/raw-message.js';

const read = (text: string): RawMessage | undefined => RawMessage.read(Buffer.from(text));
const edited = (message: RawMessage, ...edits: Parameters<RawMessage['edited']>): string =>
  Buffer.concat([...message.edited(...edits)]).toString();

describe('RawMessage', () => {
  it('changes the id and nothing else, digit for digit', () => {
    const text = '{"result": {"n": 12345678901234567890, "f": 1.0, "ü": "\\u00fc"},"jsonrpc":"2.0" , "id":7}';
    expect(Buffer.concat([...read(text)!.withId('"a"')]).toString()).toBe(text.replace('"id":7', '"id":"a"'));
  });

  it('tells requests, notifications and answers apart', () => {
    expect(read('{"jsonrpc":"2.0","id":1,"method":"ping"}')!.kind).toBe('request');
    expect(read('{"jsonrpc":"2.0","method":"ping"}')!.kind).toBe('notification');
    expect(read('{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}')!.kind).toBe('answer');
    expect(read(String.raw`{"jsonrpc":"2.0","method":"p\u0069ng"}`)!.method).toBe('ping');
  });

  it.each([
    'hello',
    '{}',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"1.0","id":1,"method":"x"}',
    '{"jsonrpc":"2.0","id":{},"method":"x"}',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{a:1}}',
    '{"jsonrpc":"2.0","id":1,"id":2,"result":{}}',
  ])('does not take %s for a message', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call","params":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{},"METHOD":"tools/call"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"Params":{"name":"b"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"paramſ":{"name":"b"}}',
    String.raw`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"param\u017f":{"name":"b"}}`,
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"b"}}',
    '{"jsonrpc":"2.0","id":1,"method":"x/y","params":{"Key":1,"key":2}}',
    '{"jsonrpc":"2.0","id":1,"method":"x/y","other":1,"Other":2}',
  ])('does not take %s, which decoders read in different ways', (text) => {
    expect(read(text)).toBeUndefined();
    expect(RawMessage.ambiguousMember(Buffer.from(`[${text}]`))).toBeDefined();
  });

  it('leaves alone the names of arguments and of deeper members', () => {
    const params = '{"name":"a","arguments":{"a":1,"A":2,"Name":3},"_meta":{"x":1,"X":2}}';
    expect(read(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)).toBeDefined();
    expect(read('{"jsonrpc":"2.0","id":1,"result":{"content":[],"Content":[]}}')).toBeDefined();
  });

  it('does not take bytes that are not UTF-8', () => {
    const bytes = Buffer.from('{"jsonrpc":"2.0","method":"x?"}');
    bytes[bytes.indexOf('?')] = 0xff;
    expect(RawMessage.read(bytes)).toBeUndefined();
  });

  it('sets members of nested objects, present or not', () => {
    const message = read(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"a":1},"e":{}}}',
    )!;
    expect(edited(message, message.set(['params', 'capabilities', 'roots'], '{}'))).toContain(
      '{"roots":{},"a":1}',
    );
    expect(edited(message, message.set(['params', 'capabilities', 'a'], '2'))).toContain('{"a":2}');
    expect(edited(message, message.set(['params', 'e', 'x'], '2'))).toContain('"e":{"x":2}');
    expect(message.set(['params', 'nothing', 'x'], '2')).toEqual([]);
    expect(message.value('params', 'capabilities')).toEqual({ a: 1 });
  });

  it('removes members, wherever they are', () => {
    const message = read(
      '{"jsonrpc":"2.0","id":1,"method":"x","params":{ "a" : 1 , "b\\"":{"c":[]},"d":"}," } }',
    )!;
    const without = (...names: readonly string[]): unknown => {
      const edits = message.remove(['params'], names);
      return (JSON.parse(edited(message, edits)) as { params: unknown }).params;
    };
    expect(without('a')).toEqual({ 'b"': { c: [] }, d: '},' });
    expect(without('b"')).toEqual({ a: 1, d: '},' });
    expect(without('d')).toEqual({ a: 1, 'b"': { c: [] } });
    expect(without('b"', 'd')).toEqual({ a: 1 });
    expect(without('a', 'b"', 'd')).toEqual({});
    expect(without('nothing')).toEqual({ a: 1, 'b"': { c: [] }, d: '},' });
  });
});
