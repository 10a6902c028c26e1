import { isAbsolute, sep } from 'node:path';
import type { Logger } from '@rootward/core';
import { readConfigurationFile } from '../../configuration/configuration-file.js';
import type { LoadedSettings } from '../../configuration/load-settings.js';
import { findBrokenRules } from '../../configuration/workspace-rules.js';
import { RootwardServerError } from '../../error.js';
import { describeProblem } from '../../exec/executable-tool.js';
import { openCatalogue } from '../../exec/open-catalogue.js';
import { countRoots } from '../../serve/readiness.js';
import type { Terminal } from '../terminal.js';
import { FINE, WRONG_USE } from '../terminal.js';
import { openWorkspace } from './roots.js';

/** Checks one configuration file, without anything it names. */
export async function validateFile(file: string, { out, around }: Terminal): Promise<number> {
  const path = isAbsolute(file) ? file : `${around.directory}${sep}${file}`;
  const found = await readConfigurationFile(path);
  if (found === undefined)
    throw new RootwardServerError('usage', `Cannot validate ${file}: it does not exist`);
  out(`${file}: fine\n`);
  return FINE;
}

/** Checks what a server here would use: its configuration files, the roots they name, and the rules in those roots. */
export async function validateHere(settings: LoadedSettings, terminal: Terminal): Promise<number> {
  using workspace = await openWorkspace(settings, terminal);
  const { roots, rejected } = workspace.snapshot();
  const configured = rejected.filter(({ source }) => source === 'config');
  const broken = findBrokenRules(roots);
  for (const { file } of settings.files) terminal.out(`${file}: fine\n`);
  if (settings.files.length === 0) {
    terminal.out(
      `no configuration file (looked for ${settings.places.map(({ file }) => file).join(', ')})\n`,
    );
  }
  terminal.out(`${countRoots(roots)}\n`);
  for (const { message } of configured) terminal.err(`rootward: ${message}\n`);
  for (const { file, problem } of broken) terminal.err(`rootward: Cannot use ${file}: ${problem}\n`);
  const faults = await validateTools(settings, terminal);
  return configured.length + broken.length + faults === 0 ? FINE : WRONG_USE;
}

/** The executables of the tools project: how many there are, and what is wrong with the others. */
async function validateTools(settings: LoadedSettings, { out, err, around }: Terminal): Promise<number> {
  using catalogue = await openCatalogue(settings, around.environment, silent);
  if (catalogue === undefined) return 0;
  const { tools, problems } = catalogue.current();
  for (const { metadata, file } of tools) out(`${metadata.name}: fine (${file})\n`);
  for (const problem of problems) err(`rootward: ${describeProblem(problem)}\n`);
  return problems.length;
}

const silent: Logger = { debug() {}, info() {}, warn() {} };
