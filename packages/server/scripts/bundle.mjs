// Makes dist/rootward.cjs, which runs dist/program.cjs with dist/rest.cjs, or dist/wrap.cjs: the command line, with what is
// rarely needed in a file of its own, and once more with nothing but `rootward wrap`. CJS, because a cached compilation can
// only be handed to a script.
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { compileLate } from './late-compilation.mjs';
import { lazyBuiltins } from './lazy-builtins.mjs';
import { LAZILY } from './lazy-constants.mjs';
import { lazySchemas, registerLazily } from './lazy-schemas.mjs';
import { checkQuickly } from './quick-checks.mjs';
import { splitBundle } from './split-bundle.mjs';
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

/**
 * To import one thing of a package is to load all that its index has. Sessions over HTTP are a twentieth of what a start over
 * stdio would read: only those who name them get them.
 */
const onlyStdio = {
  name: 'only-stdio',
  setup({ onResolve, onLoad, resolve }) {
    const namespace = 'only-stdio';
    const HTTP = /^export \{[^}]*\} from '\.\/(?:sdk-v2\/http|store)\/[^']*';$/gm;
    const SERVES_HTTP = /\/(?:serve\/http\/http-server|serve\/sharing\/[^/]+)\.ts$/;
    onResolve({ filter: /^@rootward\/mcp$/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === namespace || SERVES_HTTP.test(importer)) return undefined;
      const index = await resolve(path, { kind, importer, resolveDir, pluginData: namespace });
      // The name of a module is part of the bundle, where no path of this machine belongs.
      return { path, namespace, pluginData: index.path };
    });
    onLoad({ filter: /./, namespace }, ({ pluginData: index }) => {
      const text = readFileSync(index, 'utf8');
      const contents = text.replaceAll(HTTP, '');
      if (contents === text) throw new Error(`Cannot find what serves HTTP in ${index}`);
      return { contents, resolveDir: dirname(index) };
    });
  },
};

const quickChecks = {
  name: 'quick-checks',
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol\/server\/dist\/src-[^/]+\.mjs$/ }, ({ path }) => ({
      contents: checkQuickly(registerLazily(readFileSync(path, 'utf8'))),
    }));
  },
};

const lateCompilation = {
  name: 'late-compilation',
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/core\/schemas\.js$/ }, ({ path }) => ({
      contents: compileLate(readFileSync(path, 'utf8')),
    }));
  },
};

/** Only `install` and `config`, and servers with an OAuth issuer, need these: in files of their own, a server neither reads nor compiles them. */
const APART = ['jose', 'jsonc-parser', 'smol-toml', 'yaml'];
const libraries = {
  name: 'libraries',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^(?:${APART.join('|')})$`) }, ({ path }) => ({
      path: `./${path}.cjs`,
      external: true,
    }));
  },
};

for (const name of readdirSync(dist)) if (name.endsWith('.cache')) rmSync(dist + name);
/** The command line without what other commands do: `rootward wrap` runs once for each server that a client uses. */
const onlyWrap = {
  name: 'only-wrap',
  setup({ onResolve }) {
    const KEPT = new Set(['./commands/wrap/wrap.js', './output/status-line.js']);
    onResolve({ filter: /^\./ }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' && importer.endsWith('create-program.ts') && !KEPT.has(path)
        ? { path: './program.cjs', external: true }
        : undefined,
    );
  },
};

/**
 * `rootward wrap` reads the same configuration file as the server. Of the library for language servers it only needs what
 * checks `languageServers` there: an import on demand would bring all of it, a fifth of the file that stays in memory as text.
 */
const onlySettings = {
  name: 'only-settings',
  setup({ onResolve, onLoad }) {
    const namespace = 'only-settings';
    onResolve({ filter: /^@rootward\/lsp$/ }, ({ path, namespace: from, importer, resolveDir }) => {
      if (from === namespace) return undefined;
      if (!importer.endsWith('configuration-file.ts')) throw new Error(`${importer} may need all of ${path}`);
      return { path, namespace, pluginData: resolveDir };
    });
    onLoad({ filter: /./, namespace }, ({ path, pluginData }) => ({
      resolveDir: pluginData,
      contents: `export { readServerSettings, RootwardLspError } from '${path}';`,
    }));
  },
};

const commandLine = {
  absWorkingDir: here('..'),
  metafile: true,
  entryPoints: [here('../src/cli/main.ts')],
  bundle: true,
  write: false,
  keepNames: false,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  legalComments: 'none',
  logLevel: 'warning',
  // Installed by those who share sessions or send telemetry, who are few.
  external: ['@vscode/ripgrep', '@opentelemetry/sdk-node', '@redis/client'],
  // A compilation taken from a cache has forgotten who answers for `import()`; `require` goes on working.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__rootwardUrl' },
};
/** What Node puts around a module, so that the loader can hand the file to V8 as it is, and what reads the other half. */
const PROGRAM = (code) =>
  `_=function(exports,require,module,__filename,__dirname,__loadRest){'use strict';
  const __rootwardUrl=require('node:url').pathToFileURL(__filename).href;
  ${code}}`;
const REST = (code) => `_=function(require,__dirname,__rootwardUrl,__first){'use strict';${code}}`;
const LOAD = 'const __load=(first)=>__loadRest()(require,__dirname,__rootwardUrl,first);';

async function bundled(name, plugins) {
  const result = await build({ ...commandLine, outfile: dist + name, plugins });
  return { ...result, text: result.outputFiles[0].text };
}
/** Minified last, since until then each name is there once. */
async function minified(text) {
  const { code } = await transform(text, { minify: true, target: commandLine.target, legalComments: 'none' });
  return `(${code.replace(/^_=|;\n$/g, '')})\n`;
}

/** What is imported on demand and yet belongs to an ordinary session: serving over stdio, and tools for files. */
const FIRST = new Set([
  'src/cli/commands/serve/serve.ts',
  'src/serve/configure-zod.ts',
  'src/serve/prepare-server.ts',
  'src/telemetry/open-telemetry.ts',
  'src/cli/report-error.ts',
  '../core/dist/history/index.js',
  '../core/dist/history/prune/prune-store.js',
  '../core/dist/scope/restoring/describe-entry.js',
  '../core/dist/scope/restoring/restore.js',
  '../../node_modules/diff/libesm/index.js',
  '../../node_modules/mrmime/index.mjs',
]);
/** The schema compiler of the SDK, see `lazyValidator`. */
const SCHEMA_COMPILER = /@modelcontextprotocol\/server\/dist\/shimsNode\.cjs$/;
const [program, wrap] = await Promise.all([
  bundled('program.cjs', [onlyStdio, lazyValidator, quickChecks, lateCompilation, libraries]),
  bundled('wrap.cjs', [onlyWrap, onlySettings, lazyValidator, quickChecks, lateCompilation, libraries]),
]);
const parts = splitBundle(LAZILY + lazyBuiltins(lazySchemas(program.text)), {
  isFirst: (path) => FIRST.has(path),
  isRest: (path) => SCHEMA_COMPILER.test(path),
});
for (const path of FIRST) {
  if (!parts.first.includes(`"${path}"() {`)) throw new Error(`Cannot find ${path} in the bundle`);
}
const [first, rest, small] = await Promise.all([
  minified(PROGRAM(LOAD + parts.first)),
  minified(REST(parts.rest)),
  // Which has no schemas of the SDK.
  minified(PROGRAM(LAZILY + lazyBuiltins(wrap.text))),
]);
/** Tells builds apart, so that the loader has nothing to hash, and knows whether two files belong together. */
const built = createHash('sha256')
  .update(first + rest + small)
  .digest('hex')
  .slice(0, 32);
writeFileSync(`${dist}program.cjs`, first);
writeFileSync(`${dist}rest.cjs`, `${rest}//${built}\n`);
writeFileSync(`${dist}wrap.cjs`, small);
const apart = await build({
  absWorkingDir: here('..'),
  metafile: true,
  // The main file of jsonc-parser asks for its parts in a way that no bundler sees.
  entryPoints: APART.map((name) => ({
    in: name === 'jsonc-parser' ? 'jsonc-parser/lib/esm/main.js' : name,
    out: name,
  })),
  outdir: dist,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  legalComments: 'none',
});
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
  return text.replace(place, `const BUILT = '${built}';`);
}

const page = await buildPage('app.tsx', 'page.html', false);
const panel = await buildPage('panel.tsx', 'panel.html', true);
const inputs = [program, wrap, apart, page, panel].flatMap(({ metafile }) => Object.keys(metafile.inputs));
writeFileSync(`${dist}THIRD-PARTY-NOTICES.txt`, thirdPartyNotices(here('..'), inputs));
writeFileSync(`${dist}rootward.cjs`, loader());
chmodSync(`${dist}rootward.cjs`, 0o755);
