// What programs in a sandbox have tried, from the data that the tests use.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { table } from './markdown.mjs';

const file = fileURLToPath(new URL('../../test/sandbox/attempts/attempts.json', import.meta.url));
const LANGUAGES = { sh: 'shell', py: 'Python', node: 'Node' };

/** One row for each kind of attempt: who tried it, and whether each guarantee holds it back at level `strict`. */
export function attemptTable() {
  const kinds = new Map();
  for (const { name, does, contents } of JSON.parse(readFileSync(file, 'utf8'))) {
    const kind = kinds.get(does) ?? { languages: new Set(), count: 0, contents };
    kinds.set(does, kind);
    kind.languages.add(LANGUAGES[name.split('-')[0]]);
    kind.count++;
  }
  const rows = [...kinds].map(([does, { languages, count, contents }]) => [
    does,
    `${[...languages].join(', ')}${count > 1 ? ` (${count})` : ''}`,
    'fails',
    contents === 'open' ? '**succeeds**' : 'fails',
  ]);
  return table(
    ['attempt, outside the roots where nothing else is said', 'tried from', 'full', 'contents'],
    rows,
  );
}
