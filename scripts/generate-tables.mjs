// Writes the tables of tools, options, commands and exports between their markers in README.md and docs/, from the code that
// serves them, and the pictures of the guides. With --check it writes nothing, and fails when a page is not current.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiTable, methodTable } from './tables/api.mjs';
import { attemptTable } from './tables/attempts.mjs';
import { geminiHookScript } from '../packages/server/dist/cli/install/hooks/gemini-cli.js';
import { drawAgents } from './pictures/agents.mjs';
import { drawCeiling } from './pictures/ceiling.mjs';
import { drawEras } from './pictures/eras.mjs';
import { drawSandbox } from './pictures/sandbox.mjs';
import { drawSources } from './pictures/sources.mjs';
import { drawWrap } from './pictures/wrap.mjs';
import { clientBlocks } from './tables/clients.mjs';
import { presetTable } from './tables/presets.mjs';
import { protectedTable } from './tables/protected.mjs';
import { speedTable } from './tables/speed.mjs';
import { serverTable } from './tables/servers.mjs';
import { triedTable } from './tables/tried.mjs';
import { argumentTable, synonymTable, toolTable } from './tables/tools.mjs';
import { commandTable, configurationTable, optionTable } from './tables/options.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');

/** What stands between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. */
const TABLES = {
  attempts: attemptTable,
  contents: contentsOf,
  clients: clientBlocks,
  servers: serverTable,
  tools: toolTable,
  arguments: argumentTable,
  synonyms: synonymTable,
  options: optionTable,
  commands: commandTable,
  configuration: configurationTable,
  presets: presetTable,
  protected: protectedTable,
  tried: triedTable,
  speed: speedTable,
  'api-core': () => apiTable('@rootward/core'),
  'methods-scope': () => methodTable('@rootward/core', 'Scope'),
  'methods-workspace': () => methodTable('@rootward/core', 'Workspace'),
  'api-history': () => apiTable('@rootward/core/history'),
  'api-platform': () => apiTable('@rootward/core/platform'),
  'api-mcp': () => apiTable('@rootward/mcp'),
  'api-v1': () => apiTable('@rootward/mcp/v1', '@rootward/mcp'),
  'api-testing': () => apiTable('@rootward/mcp/testing'),
  'api-redis': () => apiTable('@rootward/mcp/redis'),
  'api-host': () => apiTable('@rootward/mcp/host'),
  'api-lsp': () => apiTable('@rootward/lsp'),
  'api-sandbox': () => apiTable('@rootward/sandbox'),
  'api-syntax': () => apiTable('@rootward/syntax'),
  'api-wrap': () => apiTable('@rootward/wrap'),
  'api-tool': () => apiTable('rootward/tool'),
};

/** Every table has a page that must show it. */
const HOMES = {
  'docs/api.md': [
    'api-core',
    'methods-scope',
    'methods-workspace',
    'api-history',
    'api-platform',
    'api-mcp',
    'api-v1',
    'api-testing',
    'api-redis',
    'api-host',
    'api-lsp',
    'api-sandbox',
    'api-syntax',
    'api-wrap',
    'api-tool',
  ],
  'docs/clients.md': ['clients'],
  'docs/language-servers.md': ['servers'],
  'docs/wrap.md': ['presets', 'tried'],
  'docs/comparison.md': ['speed'],
  'docs/sandbox.md': ['attempts'],
  'docs/security.md': ['protected'],
  'docs/tools.md': ['tools', 'arguments', 'synonyms'],
  'docs/options.md': ['options', 'commands', 'configuration'],
};

/** The headings of a page, as a list of links. */
function contentsOf(text) {
  const [, rest] = text.split('<!-- contents:end -->');
  const prose = (rest ?? '').replaceAll(/^( *)```.*?^\1```$/gms, '');
  return [...prose.matchAll(/^## (.+)$/gm)]
    .map(([, title]) => {
      const anchor = title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-');
      return `- [${title}](#${anchor})`;
    })
    .join('\n');
}

/** A page that is longer, and has as many headings, must say what is on it. */
const MAX_LINES_WITHOUT_CONTENTS = 100;
const MIN_HEADINGS_FOR_CONTENTS = 3;

function needsContents(text) {
  const headings = contentsOf(`<!-- contents:end -->${text}`).split('\n').length;
  return text.split('\n').length > MAX_LINES_WITHOUT_CONTENTS && headings >= MIN_HEADINGS_FOR_CONTENTS;
}

async function fill(text) {
  let filled = text;
  for (const [name, make] of Object.entries(TABLES)) {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [from, to] = [filled.indexOf(begin), filled.indexOf(end)];
    if (from === -1 && to === -1) continue;
    if (from === -1 || to < from) throw new Error(`one of ${begin} and ${end} is missing or out of place`);
    filled = `${filled.slice(0, from + begin.length)}\n${await make(filled)}\n${filled.slice(to)}`;
  }
  return filled;
}

function pagesIn(folder) {
  return readdirSync(join(repository, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

const problems = [];
const written = [];
for (const page of [...pagesIn('.'), ...pagesIn('docs')]) {
  const path = join(repository, page);
  const text = readFileSync(path, 'utf8');
  for (const name of HOMES[page] ?? []) {
    if (!text.includes(`<!-- ${name}:begin -->`)) problems.push(`${page}: has no <!-- ${name}:begin -->`);
  }
  if (page.startsWith('docs') && needsContents(text) && !text.includes('<!-- contents:begin -->')) {
    problems.push(`${page}: is long and has no <!-- contents:begin -->`);
  }
  try {
    const filled = await fill(text);
    if (filled === text) continue;
    if (check) problems.push(`${page}: is not current; run npm run tables`);
    else writeFileSync(path, filled);
    written.push(page);
  } catch (error) {
    problems.push(`${page}: ${error.message}`);
  }
}
/** Files that are made from the code as a whole. */
const FILES = {
  'plugins/gemini-cli/hooks/rootward-paths.cjs': geminiHookScript,
  'docs/images/sources.svg': drawSources,
  'docs/images/ceiling.svg': drawCeiling,
  'docs/images/eras.svg': drawEras,
  'docs/images/agents.svg': drawAgents,
  'docs/images/sandbox.svg': drawSandbox,
  'docs/images/wrap.svg': drawWrap,
};
for (const [file, make] of Object.entries(FILES)) {
  const path = join(repository, file);
  const made = await make();
  if (existsSync(path) && readFileSync(path, 'utf8') === made) continue;
  if (check) problems.push(`${file}: is not current; run npm run tables`);
  else writeFileSync(path, made);
  written.push(file);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(check || written.length === 0 ? 'Tables are current.' : `Wrote ${written.join(', ')}.`);
