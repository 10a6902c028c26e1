import { describe, expect, test } from 'vitest';
import { displayOf } from '../../../src/cli/output/display.js';

const terminal = { isTTY: true, columns: 120 };
const pipe = {};

describe('displayOf()', () => {
  test('knows a terminal from a pipe', () => {
    expect(displayOf(terminal, {})).toEqual({ columns: 120, colors: true, live: true });
    expect(displayOf(pipe, {})).toEqual({ columns: undefined, colors: false, live: false });
  });

  test('takes a terminal that does not know its width for a usual one', () => {
    expect(displayOf({ isTTY: true, columns: 0 }, {}).columns).toBe(80);
  });

  test.each([
    [terminal, { NO_COLOR: '1' }, false],
    [terminal, { NO_COLOR: '' }, true],
    [terminal, { FORCE_COLOR: '0' }, false],
    [terminal, { FORCE_COLOR: 'false' }, false],
    [terminal, { TERM: 'dumb' }, false],
    [pipe, { FORCE_COLOR: '1' }, true],
    [pipe, { FORCE_COLOR: 'true' }, true],
    [pipe, { FORCE_COLOR: '' }, false],
    [pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [terminal, { FORCE_COLOR: '', NO_COLOR: '1' }, false],
  ])('%j with %j has colours: %s', (stream, environment, colors) => {
    expect(displayOf(stream, environment).colors).toBe(colors);
  });

  test('rewrites no line where there is nobody, or nothing that could', () => {
    expect(displayOf(pipe, { FORCE_COLOR: '1' }).live).toBe(false);
    expect(displayOf(terminal, { TERM: 'dumb' }).live).toBe(false);
    expect(displayOf(terminal, { NO_COLOR: '1' }).live).toBe(true);
  });
});
