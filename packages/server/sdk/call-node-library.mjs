// Lets the libraries for shell and Python call the one for Node: `node call-node-library.mjs NAME`, with a JSON object on
// stdin. Prints JSON, or a text where the function makes one.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliError, download, truncate, uiForm, uiTable } from './tool.mjs';

const FUNCTIONS = {
  'is-json': ({ text }) => parse(text) !== undefined,
  truncate: ({ json, maxBytes, arrayPath }) => {
    const value = parse(json);
    if (value !== undefined) return truncate(value, maxBytes, arrayPath);
    const error = { type: 'invalid_json', message: 'it is not JSON' };
    return { result: null, truncated: false, error };
  },
  'cli-error': ({ stdout, stderr, exitCode }) => cliError(stdout, stderr, exitCode),
  download: (options) => download(options),
  form: ({ title, fields, submitTool }) => uiForm(title, fields.map(readField), submitTool),
  table: ({ json, columns, title }) => uiTable(parse(json) ?? [], columns, title),
};

/** Undefined for what is no JSON. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `name:type:option,option` */
function readField(field) {
  if (typeof field !== 'string') return field;
  const [name, type, options] = field.split(':');
  return { name, type, options: options?.split(',') };
}

/** `fetch-https URL` prints what is there. */
async function fetchUrl(url) {
  const folder = mkdtempSync(join(tmpdir(), 'rootward-fetch-'));
  try {
    const out = join(folder, 'content');
    const got = await download({ url, out });
    if (got.success) return readFileSync(out);
    process.stderr.write(got.error.message);
    process.exitCode = 5;
    return '';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the exit code of a provider says. */
const EXIT_CODES = { not_found: 3, invalid_url: 4, host_blocked: 4, size_exceeded: 6 };
const NOT_FETCHED = 5;

/** The same for a file of a repository. */
async function fetchGit(uri) {
  const { fetchFromGit } = await import('../dist/tool-library/fetch-git.js');
  try {
    return await fetchFromGit(uri);
  } catch (error) {
    process.stderr.write(error.message);
    process.exitCode = EXIT_CODES[error.type] ?? NOT_FETCHED;
    return '';
  }
}

const [, , name, url] = process.argv;
const PROVIDERS = { 'fetch-https': fetchUrl, 'fetch-git': fetchGit };
const answer = Object.hasOwn(PROVIDERS, name)
  ? await PROVIDERS[name](url)
  : await FUNCTIONS[name](JSON.parse(readFileSync(0, 'utf8')));
const isPlain = typeof answer === 'string' || Buffer.isBuffer(answer);
process.stdout.write(isPlain ? answer : JSON.stringify(answer));
