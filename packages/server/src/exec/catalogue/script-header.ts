/** The JSON of a header, moved to where it stands in the file, so that the place of a mistake is one in the file. */
export type ScriptHeader = { readonly json: string } | { readonly fault: string };

/** How far down a header may stand: below a shebang, a licence line and an editor's mark. */
const HEADER_LINES = 10;
const HEADER = /^(\s*(?:#|\/\/)\s*)(mcp):\s*(?=\{)/i;

/**
 * The `# mcp: {…}` line (or `// mcp: {…}`) near the start of a script; undefined where there is none. What was meant to be
 * one and cannot be used is a fault.
 */
export function findHeader(text: string): ScriptHeader | undefined {
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const [start, , word] = HEADER.exec(line) ?? [];
    if (start === undefined) continue;
    const at = `line ${index + 1}`;
    if (word !== 'mcp') return { fault: `${at} starts a header with "${word}:": write "mcp:"` };
    if (index >= HEADER_LINES) {
      return {
        fault: `the header at ${at} is too far down: it must be among the first ${HEADER_LINES} lines`,
      };
    }
    const json = line.slice(start.length).trimEnd();
    if (!json.endsWith('}')) {
      return { fault: `the header at ${at} does not end on that line: put all its JSON on one line` };
    }
    return { json: `${'\n'.repeat(index)}${' '.repeat(start.length)}${json}` };
  }
  return undefined;
}
