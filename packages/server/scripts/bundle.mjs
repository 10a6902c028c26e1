// Makes dist/rootward.cjs and dist/program.cjs: the command line in one file, with what is rarely needed evaluated on
// demand. CJS, because a cached compilation can only be handed to a script.
import { chmodSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const dist = here('../dist/');

for (const name of readdirSync(dist)) if (name.endsWith('.cache')) rmSync(dist + name);
await build({
  entryPoints: [here('../src/cli/main.ts')],
  outfile: `${dist}program.cjs`,
  bundle: true,
  minify: true,
  keepNames: false,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  legalComments: 'none',
  logLevel: 'warning',
  external: ['@vscode/ripgrep'],
  define: { 'import.meta.url': '__rootwardUrl' },
  banner: { js: "const __rootwardUrl=require('node:url').pathToFileURL(__filename).href;" },
});
copyFileSync(here('loader.cjs'), `${dist}rootward.cjs`);
chmodSync(`${dist}rootward.cjs`, 0o755);
