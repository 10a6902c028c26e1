// Makes dist/rootward.cjs and dist/program.cjs: the command line in one file, with what is rarely needed evaluated on
// demand. CJS, because a cached compilation can only be handed to a script.
import { chmodSync, copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { thirdPartyNotices } from './third-party-notices.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const dist = here('../dist/');

/**
 * The SDK evaluates a whole JSON Schema compiler when it is imported, and uses it only to check the answers to
 * questions it asks with a form. Evaluated on first use, it saves a tenth of the start.
 */
const lazyValidator = {
  name: 'lazy-validator',
  setup({ onResolve, onLoad }) {
    const shims = '@modelcontextprotocol/server/_shims';
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path, namespace, resolveDir }) =>
      namespace === 'lazy-validator'
        ? undefined
        : { path, namespace: 'lazy-validator', pluginData: resolveDir },
    );
    onLoad({ filter: /./, namespace: 'lazy-validator' }, ({ pluginData }) => ({
      resolveDir: pluginData,
      contents: `
        import process from 'node:process';
        export { process };
        export class DefaultJsonSchemaValidator {
          #validator;
          getValidator(schema) {
            this.#validator ??= new (require('${shims}').DefaultJsonSchemaValidator)();
            return this.#validator.getValidator(schema);
          }
        }`,
    }));
  },
};

for (const name of readdirSync(dist)) if (name.endsWith('.cache')) rmSync(dist + name);
const { metafile } = await build({
  absWorkingDir: here('..'),
  metafile: true,
  entryPoints: [here('../src/cli/main.ts')],
  outfile: `${dist}program.cjs`,
  bundle: true,
  minify: true,
  keepNames: false,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  legalComments: 'none',
  plugins: [lazyValidator],
  logLevel: 'warning',
  external: ['@vscode/ripgrep'],
  // Its main file asks for its parts in a way that no bundler sees.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // A compilation taken from a cache has forgotten who answers for `import()`; `require` goes on working.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__rootwardUrl' },
  // What Node puts around a module, so that the loader can hand the file to V8 as it is.
  footer: { js: '})' },
  banner: {
    js: "(function(exports,require,module,__filename,__dirname){'use strict';const __rootwardUrl=require('node:url').pathToFileURL(__filename).href;",
  },
});
writeFileSync(`${dist}THIRD-PARTY-NOTICES.txt`, thirdPartyNotices(here('..'), Object.keys(metafile.inputs)));
copyFileSync(here('loader.cjs'), `${dist}rootward.cjs`);
chmodSync(`${dist}rootward.cjs`, 0o755);
