import { readFileSync } from 'node:fs';

/** The value of a variable, or of the file that another names because it was too long for one. */
export function readVariable(name: string, fileName: string): string | undefined {
  const file = process.env[fileName];
  return file === undefined || file === '' ? process.env[name] : readFileSync(file, 'utf8');
}
