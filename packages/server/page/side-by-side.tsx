import type { VNode } from 'preact';

interface Row {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly changed: boolean;
}

/** Long differences are read in an editor. */
const MAX_ROWS = 2000;

/** The rows of a unified diff: what was removed stands beside what was added in its place. */
function rowsOf(diff: string): readonly Row[] {
  const rows: Row[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      rows.push({ before: removed[index], after: added[index], changed: true });
    }
    removed = [];
    added = [];
  };
  const lines = diff.split('\n');
  // Above the first hunk stand names only.
  for (const line of lines.slice(lines.findIndex((each) => each.startsWith('@@')))) {
    if (line.startsWith('-')) removed.push(line.slice(1));
    else if (line.startsWith('+')) added.push(line.slice(1));
    else {
      flush();
      if (line.startsWith(' ')) rows.push({ before: line.slice(1), after: line.slice(1), changed: false });
    }
  }
  flush();
  return rows.slice(0, MAX_ROWS);
}

export function SideBySide({ diff }: { readonly diff: string }): VNode {
  return (
    <div class="diff" role="region" aria-label="Before and after" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">before</th>
            <th scope="col">after</th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(diff).map(({ before, after, changed }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows of one diff never move
            <tr key={index}>
              <td class={changed && before !== undefined ? 'out' : ''}>{before}</td>
              <td class={changed && after !== undefined ? 'in' : ''}>{after}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
