import { constants } from 'node:fs';
import { access, open, realpath, stat } from 'node:fs/promises';
import { extname, sep } from 'node:path';
import type { RunnableFile, ToolProblem } from './executable-tool.js';

/** What stands before a script, a header included, is shorter than this. */
const START_BYTES = 16 * 1024;
const SHELL_ENDINGS: ReadonlySet<string> = new Set(['.sh', '.bash']);
/** Found on the `PATH` of the tool, which has no folders of the workspace. */
const BASH: readonly string[] = ['/usr/bin/env', 'bash'];

/**
 * How a file is started: by itself where it has the run bit; else by what its first line names, or by bash for `.sh` and
 * `.bash`. Without the run bit, it must be a regular file inside the project: a link may lead to anything.
 */
export async function findRunnable(
  file: string,
  project: string,
): Promise<RunnableFile | { readonly problem: ToolProblem }> {
  if (!(await isFile(file))) return problem(file, 'it is not a file');
  if (await hasRunBit(file)) return { file, interpreter: undefined };
  const interpreter = readShebang(await readStart(file)) ?? (isShellScript(file) ? BASH : undefined);
  if (interpreter === undefined || process.platform === 'win32') {
    return problem(
      file,
      'it has no run bit (chmod +x), and neither a first line "#!…" nor an ending .sh or .bash',
    );
  }
  if (!(await realpath(file)).startsWith(`${await realpath(project)}${sep}`)) {
    return problem(file, 'it has no run bit (chmod +x), and leads outside the tools project');
  }
  return { file, interpreter };
}

export async function hasRunBit(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** The start of a file, where a script says what it is. */
export async function readStart(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** As the kernel reads it: one program, and all that follows as one argument. */
function readShebang(text: string): readonly string[] | undefined {
  const [, program, argument] =
    /^#![ \t]*([^ \t\r\n]+)(?:[ \t]+([^\r\n]*?))?[ \t]*\r?(?:\n|$)/.exec(text) ?? [];
  if (program === undefined) return undefined;
  return argument === undefined || argument === '' ? [program] : [program, argument];
}

function isShellScript(file: string): boolean {
  return SHELL_ENDINGS.has(extname(file));
}

async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function problem(file: string, message: string): { readonly problem: ToolProblem } {
  return { problem: { file, field: undefined, message } };
}
