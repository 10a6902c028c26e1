// Makes dist/program.cjs, the command line in one file, and dist/rootward.cjs, which runs it with a cache of compiled code.
// CJS, because on Node 20 such a cache can only be given to a script.
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { LAZILY, lazySchemas, registerLazily } from './lazy-schemas.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const dist = here('../dist/');

/** The SDK makes all schemas of the protocol when it is loaded. Measured alone: 8 ms and 7 MB of a start on Node 20, 10 ms and 11 MB on Node 24. */
const lateRegistration = {
  name: 'late-registration',
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol\/server\/dist\/src-[^/]+\.mjs$/ }, ({ path }) => ({
      contents: registerLazily(readFileSync(path, 'utf8')),
    }));
  },
};

for (const name of readdirSync(dist)) {
  if (name.endsWith('.cjs') || name.endsWith('.cache')) rmSync(dist + name);
}

const program = await build({
  absWorkingDir: here('..'),
  metafile: true,
  entryPoints: [here('../src/cli/main.ts')],
  outfile: `${dist}program.cjs`,
  bundle: true,
  write: false,
  keepNames: false,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  legalComments: 'none',
  logLevel: 'warning',
  // Installed by those who share sessions or send telemetry, who are few.
  external: ['@rootward/syntax', '@vscode/ripgrep', '@opentelemetry/sdk-node', '@redis/client'],
  // The main file of jsonc-parser loads its parts in a way that no bundler sees.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // A compilation taken from a cache has forgotten who answers for `import()`; `require` goes on working.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__programUrl' },
  plugins: [lateRegistration],
});
// The function that Node puts around a module, so that the loader can give the file to V8 as it is.
const whole = `_=function(exports,require,module,__filename,__dirname){'use strict';
const __programUrl = require('node:url').pathToFileURL(__filename).href;
${LAZILY}${lazySchemas(program.outputFiles[0].text)}}`;
// Minified last, since until then each name is there once.
const minified = await transform(whole, { minify: true, target: 'node20.19', legalComments: 'none' });
writeFileSync(`${dist}program.cjs`, `(${minified.code.replace(/^_=|;\n$/g, '')})\n`);

/** A page, its script and its style in one file. Texts of others never come near it: it is filled in by the browser. */
async function buildPage(script, file, policy) {
  const page = await build({
    absWorkingDir: here('..'),
    metafile: true,
    entryPoints: { app: here(`../page/${script}`), style: here('../page/style/style.css') },
    outdir: dist,
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
  });
  const textOf = (ending) => page.outputFiles.find(({ path }) => path.endsWith(ending)).text.trim();
  const style = textOf('.css');
  const code = textOf('.js').replaceAll('</script', '<\\/script');
  const meta = policy
    ? `<meta http-equiv="Content-Security-Policy" content="${policyFor(code, style)}">`
    : '';
  writeFileSync(
    `${dist}${file}`,
    `<!doctype html><html lang="en"><head><meta charset="utf-8">${meta}<meta name="viewport" content="width=device-width"><title>Rootward</title><style>${style}</style></head><body><div id="app"></div><script>${code}</script></body></html>\n`,
  );
  return page;
}

/** For a file that no server of ours sends: it runs its own script, and speaks to nobody but the window around it. */
function policyFor(code, style) {
  return `default-src 'none'; script-src ${digestOf(code)}; style-src ${digestOf(style)}; base-uri 'none'; form-action 'none'`;
}

function digestOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function loader() {
  const text = readFileSync(here('loader.cjs'), 'utf8');
  const place = "const BUILT = 'from source';";
  if (!text.includes(place)) throw new Error(`Cannot find ${place} in the loader`);
  return text.replace(
    place,
    `const BUILT = '${createHash('sha256').update(minified.code).digest('hex').slice(0, 32)}';`,
  );
}

const page = await buildPage('app.tsx', 'page.html', false);
const panel = await buildPage('panel.tsx', 'panel.html', true);
const inputs = [program, page, panel].flatMap(({ metafile }) => Object.keys(metafile.inputs));
writeFileSync(`${dist}THIRD-PARTY-NOTICES.txt`, thirdPartyNotices(here('..'), inputs));
writeFileSync(`${dist}rootward.cjs`, loader());
chmodSync(`${dist}rootward.cjs`, 0o755);
