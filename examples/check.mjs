// What the example clients share: a workspace to play in, and a check that prints what it saw.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const base = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-example-'));
let surprises = 0;

/** A folder with a file `notes.txt` of so many lines. */
export function makeFolder(name, lines) {
  const path = join(base, name);
  mkdirSync(path);
  writeFileSync(join(path, 'notes.txt'), 'a line\n'.repeat(lines));
  return { path, file: join(path, 'notes.txt'), uri: pathToFileURL(path).href };
}

export function check(what, seen, expected) {
  const right = JSON.stringify(seen) === JSON.stringify(expected);
  if (!right) surprises++;
  const detail = right ? '' : ` (expected ${JSON.stringify(expected)})`;
  console.log(`  ${right ? '✓' : '✗'} ${what}: ${JSON.stringify(seen)}${detail}`.replaceAll(base, '…'));
}

/** Cleans up; exit code 1 if anything was not as expected. */
export function finish() {
  rmSync(base, { recursive: true, force: true });
  console.log(surprises === 0 ? '\nAll as expected.' : `\n${surprises} surprises.`);
  process.exitCode = surprises === 0 ? 0 : 1;
}
