/** A Markdown table of cells that are Markdown themselves. */
export function table(head, rows) {
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map((cells) => line(cells))].join('\n');
}

function line(cells) {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Text that means nothing but itself. */
export function plain(text) {
  return text.replaceAll('<', '&lt;').replaceAll('*', '\\*').replaceAll('\n', ' ');
}

export function code(text) {
  return `\`${text}\``;
}
