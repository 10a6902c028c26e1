import { mkdir, open } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { TOOLS_TEMPLATE } from '../tools-template.js';
import { FAILED, FINE } from '../terminal.js';
import type { Terminal } from '../terminal.js';

const EXECUTABLE = 0o755;
const PLAIN = 0o644;

/** Writes a tools project to start from. What is there already stays as it is. */
export async function runInitTools(directory: string, { out, err, around }: Terminal): Promise<number> {
  const folder = isAbsolute(directory) ? directory : `${around.directory}${sep}${directory}`;
  let kept = 0;
  for (const { path, text, executable } of TOOLS_TEMPLATE) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    if (await writeNew(file, text, executable ? EXECUTABLE : PLAIN)) {
      out(`Wrote ${file}\n`);
    } else {
      err(`rootward: Cannot write ${file}: it exists already\n`);
      kept += 1;
    }
  }
  out(`Try it: rootward run-tool hello-shell --project ${directory} --args '{"name":"you"}'\n`);
  out(`Test it: ${join(directory, 'test', 'run.sh')}\nServe it: rootward --project ${directory}\n`);
  return kept === 0 ? FINE : FAILED;
}

async function writeNew(file: string, text: string, mode: number): Promise<boolean> {
  let handle;
  try {
    handle = await open(file, 'wx', mode);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  return true;
}
