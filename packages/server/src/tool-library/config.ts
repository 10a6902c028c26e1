import { existsSync, readFileSync } from 'node:fs';
import { log } from './channel.js';

/** Where settings of a tool come from, the strongest first. */
export interface ConfigSources {
  /** A variable with JSON, or with the name of a file. */
  readonly env?: string;
  readonly file?: string;
  readonly example?: string;
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/**
 * The settings of a tool: those of stronger sources replace those of weaker ones, key by key at the top level. A file that
 * is missing is passed over; one that is no JSON object is passed over with a warning in the log.
 */
export function loadConfig({ env, file, example, defaults = {} }: ConfigSources): Record<string, unknown> {
  const variable = env === undefined ? '' : (process.env[env] ?? '');
  const named = /^\s*\{/.test(variable) ? parse(variable, `$${env}`) : readConfig(variable);
  return { ...defaults, ...readConfig(example), ...readConfig(file), ...named };
}

function readConfig(file: string | undefined): object {
  if (file === undefined || file === '' || !existsSync(file)) return {};
  return parse(readFileSync(file, 'utf8'), file);
}

function parse(text: string, where: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  log('warning', `${where} is not a JSON object; it is not used`, 'config');
  return {};
}
