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

/** `fetch URL` prints what is there. */
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

const [, , name, url] = process.argv;
const answer =
  name === 'fetch' ? await fetchUrl(url) : await FUNCTIONS[name](JSON.parse(readFileSync(0, 'utf8')));
const isPlain = typeof answer === 'string' || Buffer.isBuffer(answer);
process.stdout.write(isPlain ? answer : JSON.stringify(answer));
