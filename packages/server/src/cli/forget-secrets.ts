import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** The positions of fields in `/proc/self/stat`, counted after the name in brackets. */
const ENV_START = 47;
const ENV_END = 48;
const MAX_ENVIRONMENT_BYTES = 8 * 1024 * 1024;

/**
 * Takes variables out of the environment: children inherit it, and on Linux `/proc/PID/environ` goes on showing what a
 * process was started with, whatever becomes of its variables. So that is overwritten where the system lets us. Does
 * NOT reach the process that started this one, nor copies that the engine has made in its memory.
 */
export function forgetSecrets(names: readonly string[]): void {
  const secrets = names.flatMap((name) => {
    const value = process.env[name];
    delete process.env[name];
    return value === undefined || value === '' ? [] : [`${name}=${value}`];
  });
  if (secrets.length === 0 || process.platform !== 'linux') return;
  try {
    overwrite(secrets);
  } catch {
    // A hardened system: the guide recommends a file for the token.
  }
}

function overwrite(secrets: readonly string[]): void {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const start = Number(fields[ENV_START]);
  const length = Number(fields[ENV_END]) - start;
  if (!(start > 0 && length > 0 && length <= MAX_ENVIRONMENT_BYTES)) return;
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    const block = Buffer.alloc(length);
    readSync(memory, block, 0, length, start);
    for (const secret of secrets) {
      const entry = Buffer.from(`${secret}\0`);
      for (let at = block.indexOf(entry); at !== -1; at = block.indexOf(entry, at + entry.length)) {
        const value = at + entry.indexOf('=') + 1;
        writeSync(memory, Buffer.alloc(at + entry.length - 1 - value, 'x'), 0, undefined, start + value);
      }
    }
  } finally {
    closeSync(memory);
  }
}
