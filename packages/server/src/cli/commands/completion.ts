import type { Command } from 'commander';
import { readChoice } from '../../settings/values/read-values.js';
import { bashScript } from '../completion/bash.js';
import { describeProgram, type ProgramShape } from '../completion/describe-program.js';
import { fishScript } from '../completion/fish.js';
import { SHELLS, type Shell } from '../completion/shell.js';
import { zshScript } from '../completion/zsh.js';
import { FINE, type Terminal } from '../output/terminal.js';

const SCRIPTS: Readonly<Record<Shell, (program: ProgramShape) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Prints a script for a shell, made from the commands and options of the program. */
export function runCompletion(
  shell: string,
  program: Command,
  defaultCommand: string,
  { out }: Terminal,
): number {
  const chosen = readChoice(shell, SHELLS, { name: 'the shell', base: undefined });
  out(SCRIPTS[chosen](describeProgram(program, defaultCommand)));
  return FINE;
}
