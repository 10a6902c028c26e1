import { readFileSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { readFile, rename, unlink, writeFile } from 'node:fs/promises';

/** Puts an answer where a tool looks for it: whole, or not at all. */
export async function putAnswer(file: string, answer: Promise<object>): Promise<void> {
  try {
    await writeFile(`${file}.part`, JSON.stringify(await answer), { mode: 0o600 });
    await rename(`${file}.part`, file);
  } catch {
    // The call was given up, or the folder is gone: the tool is being ended.
  }
}

/** A file a tool names for its answer. A device might never end. */
export function readNamed(path: string, maxBytes: number): Buffer {
  const found = statSync(path);
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
  return readFileSync(path);
}

/** Synchronous: it must be there before the signal is. */
export function noteCancellation(file: string): void {
  try {
    writeFileSync(file, '');
  } catch {
    // The tool does not see the mark then, but it is ended in any case.
  }
}

export async function takeFile(file: string, maxBytes: number): Promise<string | undefined> {
  // Synchronous, since it is almost never there: a round trip through the thread pool costs more than the look.
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const text = await readReport(file, found, maxBytes);
  await removeAll([file]);
  return text;
}

async function readReport(file: string, found: Stats, maxBytes: number): Promise<string> {
  // Reading a pipe or a device might never end.
  if (!found.isFile()) return 'The error file of the tool is not a file';
  if (found.size > maxBytes) return `The error file of the tool has more than ${maxBytes} bytes`;
  return readFile(file, 'utf8');
}

export async function removeAll(files: readonly string[]): Promise<void> {
  await Promise.all(files.map((file) => unlink(file).catch(() => undefined)));
}
