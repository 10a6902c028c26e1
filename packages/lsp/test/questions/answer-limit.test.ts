import { expect, test } from 'vitest';
import { findSymbol } from '@rootward/lsp';
import { pathToFileUri } from '@rootward/core';
import { mayBeCut } from '../../src/questions/answer-limit.js';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { scripted } from '../fixtures/scripted.js';

test.each([
  [{ maxSymbols: 256 }, 255, false],
  [{ maxSymbols: 256 }, 256, true],
  [{ maxSymbols: 256 }, 300, true],
  [{ maxSymbols: 256 }, 100, false],
  [{ maxSymbols: Number.POSITIVE_INFINITY }, 1_000, false],
  [{}, 100, true],
  [{}, 128, true],
  [{}, 101, false],
  [{}, 0, false],
])('mayBeCut() of %j with %i symbols is %s', (server, symbols, expected) => {
  expect(mayBeCut(server, symbols)).toBe(expected);
});

test.each([
  [99, true],
  [100, false],
])(
  'findSymbol() with %i symbols of a server nobody has measured is complete: %s',
  async (count, complete) => {
    const code = await CodeWorkspace.open({ 'root/a.toy': 'word\n' }, 'root');
    try {
      const location = (line: number): object => {
        const place = { line, character: 0 };
        return { uri: pathToFileUri(code.at('root/a.toy')), range: { start: place, end: place } };
      };
      const symbols = Array.from({ length: count }, (_, line) => {
        return { name: `word_${line}`, kind: 12, location: location(line) };
      });
      const script = {
        capabilities: { workspaceSymbolProvider: true },
        answers: { 'workspace/symbol': symbols },
      };
      const server = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
      const result = await findSymbol(code.serve({ servers: [server] }), { query: 'word' });
      expect(result).toMatchObject({ total: count, complete });
      expect(result.notes).toHaveLength(complete ? 0 : 1);
    } finally {
      await code.dispose();
    }
  },
);
