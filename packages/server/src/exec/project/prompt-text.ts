import { readFile } from 'node:fs/promises';
import type { ProjectPrompt } from './project-content.js';

/** The text of a prompt with its arguments. */
export async function promptText(
  { file }: ProjectPrompt,
  args: Readonly<Record<string, string>>,
): Promise<string> {
  return fill(await readFile(file, 'utf8'), args);
}

/** `{{name}}` and `${name}` stand for an argument; one that was not given is empty. Anything else stays as it is. */
function fill(text: string, args: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\{\{\s*([\w.-]+)\s*\}\}|\$\{([\w.-]+)\}/g,
    (whole, one?: string, other?: string) => {
      const name = one ?? other ?? '';
      return Object.hasOwn(args, name) ? (args[name] ?? '') : whole;
    },
  );
}
