/** How far down a header may stand: below a shebang, a licence line and an editor's mark. */
const HEADER_LINES = 10;
const HEADER = /^\s*(?:#|\/\/)\s*mcp:\s*(\{.*\})\s*$/;

/** The JSON of a `# mcp: {…}` line (or `// mcp: {…}`) near the start of a script; undefined where there is none. */
export function findHeader(text: string): string | undefined {
  for (const line of text.split('\n', HEADER_LINES)) {
    const json = HEADER.exec(line)?.[1];
    if (json !== undefined) return json;
  }
  return undefined;
}
