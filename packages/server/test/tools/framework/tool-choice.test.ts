import { describe, expect, test } from 'vitest';
import { ToolChoice } from '../../../src/tools/framework/tool-choice.js';

const NAMES = ['read_file', 'read_text_file', 'write_file', 'example.roots.read'];

describe('ToolChoice', () => {
  test.each([
    [{ tools: undefined, hideTools: [] }, NAMES],
    [{ tools: ['read_*'], hideTools: [] }, ['read_file', 'read_text_file']],
    [{ tools: undefined, hideTools: ['*_file'] }, ['example.roots.read']],
    [{ tools: ['read_*', 'example.*'], hideTools: ['read_file'] }, ['read_text_file', 'example.roots.read']],
    [{ tools: ['{read,write}_file'], hideTools: [] }, ['read_file', 'write_file']],
    [{ tools: ['nothing'], hideTools: [] }, []],
  ])('allows, of %j, what matches and is not hidden', (globs, expected) => {
    const choice = new ToolChoice(globs);
    expect(NAMES.filter((name) => choice.allows(name))).toEqual(expected);
  });

  test('names the globs that match nothing', () => {
    const choice = new ToolChoice({ tools: ['reed_*', 'read_*'], hideTools: ['wirte_file'] });
    expect(choice.idle(NAMES)).toEqual(['reed_*', 'wirte_file']);
  });
});
