/** A rewrite of a large file can take minutes to compare; nobody reads that diff. */
const TIMEOUT_MS = 1000;

/** A unified diff in a fenced block, as `patch` and `git apply` take it. Undefined where comparing takes too long. */
export async function unifiedDiff(path: string, before: string, after: string): Promise<string | undefined> {
  const patch = await fileDiff(path, before, after);
  if (patch === undefined) return undefined;
  const fence = fenceFor(patch);
  return `${fence}diff\n${patch}${fence}\n\n`;
}

/** The same without a fence. */
export async function fileDiff(path: string, before: string, after: string): Promise<string | undefined> {
  const { createTwoFilesPatch } = await import('diff');
  return createTwoFilesPatch(path, path, before, after, 'original', 'modified', { timeout: TIMEOUT_MS });
}

/** Longer than any run of backticks inside. */
function fenceFor(text: string): string {
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return fence;
}
