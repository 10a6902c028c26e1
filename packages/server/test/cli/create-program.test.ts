import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/create-program.js';

function commandsFor(words?: readonly string[]): readonly string[] {
  const start = { environment: {}, home: '/home/me', directory: '/', program: undefined, command: undefined };
  const terminal = { out() {}, err() {}, interactive: false, start };
  return createProgram(terminal, () => undefined, [], words).commands.map((command) => command.name());
}

const ALL = commandsFor();

describe('createProgram()', () => {
  test('makes every command', () => {
    expect(ALL).toContain('serve');
    expect(ALL.length).toBeGreaterThan(10);
  });

  test.each([
    [[], 'serve'],
    [['some/folder', '--http'], 'serve'],
    [['roots', '--json'], 'roots'],
    [['wrap', '--share'], 'wrap'],
  ] as const)('makes only the command that the words %j mean', (words, name) => {
    expect(commandsFor(words)).toEqual([name]);
  });

  test.each([[['--', 'roots']], [['roots', 'doctor']], [['help', 'roots']], [['help']], [['completion']]])(
    'makes every command where the words %j need them',
    (words) => {
      expect(commandsFor(words)).toEqual(ALL);
    },
  );
});
