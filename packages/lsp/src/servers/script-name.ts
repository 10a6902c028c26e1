import { basename } from 'node:path';
import type { Scope } from '@rootward/core';

/** From the interpreter in the first line of a script to the ending that its language goes by. */
const ENDINGS: Readonly<Record<string, string>> = {
  bash: '.sh',
  dash: '.sh',
  ksh: '.sh',
  lua: '.lua',
  node: '.js',
  nodejs: '.js',
  php: '.php',
  python: '.py',
  ruby: '.rb',
  sh: '.sh',
  zsh: '.sh',
};
const SHEBANG = /^#!\s*(?:\S*\/)?([\w.-]+)(?:\s+(?:-S\s+)?(?:\w+=\S+\s+)*([\w./-]+))?/;

/** The path that says which language a file is in: that of a script without an ending gets the one of its interpreter. */
export async function languageName(scope: Scope, path: string): Promise<string> {
  if (basename(path).includes('.')) return path;
  try {
    const { text } = await scope.readText(path, { head: 1 });
    return path + endingOf(text);
  } catch {
    return path;
  }
}

/** Empty where the line names no interpreter that is known. Pure. */
export function endingOf(firstLine: string): string {
  const [, program = '', argument = ''] = SHEBANG.exec(firstLine) ?? [];
  const interpreter = program === 'env' ? basename(argument) : program;
  return ENDINGS[interpreter.replace(/[\d.]+$/, '')] ?? '';
}
