// Makes docs/images/demo.svg from a run of the demo: node scripts/record-demo.mjs (needs a build). With --check it writes
// nothing, and fails where what the demo prints is not what the picture shows.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawDemo } from './pictures/demo.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PICTURE = here('../docs/images/demo.svg');

// With the language server that is installed for development.
const ROOTWARD_PROGRAM_FOLDERS = here('../node_modules/.bin');
const output = execFileSync(process.execPath, [here('../packages/server/dist/rootward.cjs'), 'demo'], {
  encoding: 'utf8',
  env: { ...process.env, ROOTWARD_PROGRAM_FOLDERS, FORCE_COLOR: '0' },
});
const drawn = drawDemo(output);
if (!process.argv.includes('--check')) {
  writeFileSync(PICTURE, drawn);
} else if (readFileSync(PICTURE, 'utf8') !== drawn) {
  console.error(
    `docs/images/demo.svg is not current; run node scripts/record-demo.mjs. The demo printed:\n${output}`,
  );
  process.exitCode = 1;
}
