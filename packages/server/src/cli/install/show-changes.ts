import { createTwoFilesPatch } from 'diff';
import { harmless, type Paint } from '../output/paint.js';
import type { FileChange } from './plan.js';

/** The changes as a unified diff, in colours where the screen has them. */
export function showChanges(changes: readonly FileChange[], paint: Paint): string {
  return changes
    .filter(({ before, after }) => before !== after)
    .map(({ file, before, after }) => {
      const from = before === undefined ? '/dev/null' : file;
      const to = after === undefined ? '/dev/null' : file;
      const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', '', '', { context: 3 });
      return harmless(patch)
        .split('\n')
        .filter((line) => !/^(?:=====|Index: )/.test(line))
        .map((line) =>
          line.startsWith('+') ? paint('good', line) : line.startsWith('-') ? paint('bad', line) : line,
        )
        .join('\n');
    })
    .join('');
}
