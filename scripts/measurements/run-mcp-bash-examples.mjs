// Serves every example of a clone of mcp-bash, uses what it offers, and compares the answers with those of its own server:
// node scripts/measurements/run-mcp-bash-examples.mjs FOLDER [OPTION…]. One line per example, and one for each difference; those
// that are not on purpose fail. It takes some minutes, since that server needs seconds for a call.
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioServer } from './stdio-server.mjs';

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Name the folder of a clone of mcp-bash\n');
  process.exit(2);
}
const program = fileURLToPath(new URL('../../packages/server/dist/rootward.cjs', import.meta.url));
const framework = join(resolve(folder), 'bin', 'mcp-bash');
/** Its own server takes up to ten seconds for the first answer, more on a busy machine. */
const LIMIT_MS = 120_000;
/** Tools that take long on purpose, or need what is not here. */
const SKIPPED = new Set(['slow-no-progress', 'slow-with-progress']);

/** Answers that change from call to call: what must be the same is their shape. */
const CHANGING = new Set(['weather', 'system-info']);
/** What is another answer on purpose, by what was asked for; see the table in docs/migration.md. */
const ON_PURPOSE = new Map([
  ['file://./resources/greeting.txt', 'file://./ is read'],
  ['prompt.greeting', '${name} stands for the argument'],
  ['demo.completion', '${name} stands for the argument'],
  ['manual.prompt', 'the role is user'],
  ['fetch-api-data', 'the operator names the hosts'],
  ['example-elicitation, declined', 'the first whole result is the answer'],
  ['transcode, declined', 'mcp_result_error ends the tool'],
]);
/** What tools of an example need; without it they are not called. */
const NEEDS = new Map([['ffmpeg-studio', 'ffmpeg']]);

/** A server, and a user who answers its questions. */
class Server {
  #server;
  /** What the user says to questions. */
  willing = true;
  asked = false;

  constructor(command, args, env) {
    const answer = ({ method, params }, send) => {
      if (method !== 'elicitation/create') return;
      this.asked = true;
      send(this.willing ? answerTo(params) : { action: 'decline' });
    };
    this.#server = new StdioServer([command, ...args], { env }, { limitMs: LIMIT_MS, answer });
  }

  async start() {
    const clientInfo = { name: 'examples', version: '1.0.0' };
    const capabilities = { elicitation: { form: {} } };
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    this.#server.notify('notifications/initialized');
    return this;
  }

  ask(method, params) {
    return this.#server.ask(method, params);
  }

  end() {
    return this.#server.end();
  }
}

/** The first choice everywhere. */
function answerTo({ requestedSchema }) {
  const content = {};
  for (const [name, { type, enum: choices, oneOf, items }] of Object.entries(requestedSchema.properties)) {
    if (type === 'boolean') content[name] = true;
    else if (type === 'array') content[name] = [items.enum?.[0] ?? items.anyOf?.[0]?.const];
    else content[name] = choices?.[0] ?? oneOf?.[0]?.const ?? 'text';
  }
  return { action: 'accept', content };
}

/** Not one of the server itself. */
function own(name) {
  return !['guide', 'roots', 'project'].includes(name);
}

/** What an example offers, as requests. */
async function requestsFor(server, project) {
  const list = async (method, key) => (await server.ask(method, {}))?.result?.[key] ?? [];
  const tools = (await list('tools/list', 'tools')).filter((tool) => !OWN_TOOLS.has(tool.name));
  const prompts = (await list('prompts/list', 'prompts')).filter(({ name }) => own(name));
  const resources = (await list('resources/list', 'resources')).filter(
    ({ uri }) => !/^(?:guide|workspace|skill):/.test(uri),
  );
  const templates = (await list('resources/templates/list', 'resourceTemplates')).filter(({ name }) =>
    own(name),
  );
  const requests = [
    ...tools
      .filter(({ name }) => !SKIPPED.has(name))
      .map((tool) => ['tools/call', { name: tool.name, arguments: argumentsFor(tool, project) }]),
    ...resources.map(({ uri }) => ['resources/read', { uri }]),
    ...templates.map(({ name }) => ['template', { name }]),
    ...prompts.map(({ name, arguments: args = [] }) => [
      'prompts/get',
      { name, arguments: Object.fromEntries(args.map((each) => [each.name, 'Ann'])) },
    ]),
  ];
  if (existsSync(join(project, 'completions'))) {
    const ref = { type: 'ref/prompt', name: 'demo.completion' };
    requests.push(['completion/complete', { ref, argument: { name: 'query', value: 're' } }]);
  }
  return requests;
}

function argumentsFor({ inputSchema }, project) {
  const values = {
    path: existsSync(join(project, 'media')) ? 'example.mp4' : join(project, 'data', 'sample.txt'),
    preset: 'gif',
    time: '0',
    url: 'https://example.invalid/',
    duration: inputSchema.properties?.duration?.type === 'string' ? '1' : 1,
    command: 'os',
    input: 'example.mp4',
    output: 'out.mp4',
  };
  const names = inputSchema.required ?? [];
  const known = Object.keys(inputSchema.properties ?? {}).includes('duration') ? ['duration'] : [];
  return Object.fromEntries([...names, ...known].map((name) => [name, values[name] ?? 'text']));
}

/** What of an answer must be the same: not what only one of the two adds, nor what changes with time. */
function comparable(message, label) {
  if (message === undefined) return 'no answer';
  if (message.error !== undefined) return `error ${message.error.code}`;
  const { content, structuredContent, isError, contents, messages, completion } = message.result;
  // That server gives five at a time.
  if (completion !== undefined) return JSON.stringify(completion.values.slice(0, 3));
  const whole = {
    content: content?.map(readText),
    structuredContent,
    isError: isError === true,
    contents: contents?.map(withoutEnd),
    messages,
  };
  return JSON.stringify(ordered(whole, CHANGING.has(label)));
}

/** That server loses the last line break of a page. */
function withoutEnd(content) {
  return content.text === undefined ? content : { ...content, text: content.text.trimEnd() };
}

/** JSON in a text means the same however it is written. */
function readText(block) {
  try {
    return block.type === 'text' ? { ...block, text: JSON.parse(block.text) } : block;
  } catch {
    return { ...block, text: block.text.trim() };
  }
}

/** In the order of the keys, without what says nothing; of the values only their types where `shape` says so. */
function ordered(value, shape) {
  if (Array.isArray(value)) return value.map((each) => ordered(each, shape));
  if (typeof value !== 'object' || value === null) return shape ? typeof value : value;
  const entries = Object.entries(value)
    .map(([key, each]) => [key, ordered(each, shape)])
    .filter(([, each]) => each !== null && each !== undefined && JSON.stringify(each) !== '{}')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

/** A copy for one of the two servers, so that neither finds what the other wrote. */
function copyOf(project, whose) {
  const copy = join(EMPTY, whose, basename(project));
  cpSync(project, copy, { recursive: true });
  forOwnerOnly(copy);
  return copy;
}

/** That server runs nothing that its group may write. */
function forOwnerOnly(path) {
  const status = statSync(path);
  chmodSync(path, status.mode & 0o755);
  if (!status.isDirectory()) return;
  for (const name of readdirSync(path)) forOwnerOnly(join(path, name));
}

function isThere(command) {
  return (process.env.PATH ?? '').split(delimiter).some((path) => existsSync(join(path, command)));
}

const EMPTY = mkdtempSync(join(tmpdir(), 'rootward-examples-'));
const env = { PATH: process.env.PATH, HOME: EMPTY, XDG_STATE_HOME: EMPTY };
const bare = await new Server(process.execPath, [program], env).start();
const OWN_TOOLS = new Set((await bare.ask('tools/list', {})).result.tools.map(({ name }) => name));
await bare.end();

const examples = join(resolve(folder), 'examples');
const projects = [
  ...readdirSync(examples),
  ...readdirSync(join(examples, 'advanced')).map((name) => join('advanced', name)),
]
  .map((name) => join(examples, name))
  .filter((path) =>
    ['tools', 'resources', 'prompts', 'server.d'].some((part) => existsSync(join(path, part))),
  );

let failed = 0;
let unexpected = 0;
const SHOWN = 600;
for (const project of projects) {
  const copy = copyOf(project, 'ours');
  const theirCopy = copyOf(project, 'theirs');
  const args = [program, '--project', copy, '--register-hook', ...flags];
  const ours = await new Server(process.execPath, args, env).start();
  const theirs = await new Server('bash', [framework], {
    ...env,
    MCPBASH_PROJECT_ROOT: theirCopy,
    MCPBASH_TOOL_ALLOWLIST: '*',
    MCPBASH_ALLOW_PROJECT_HOOKS: 'true',
  }).start();
  const notes = [];
  const requests = await requestsFor(ours, copy);
  let worked = 0;
  const need = NEEDS.get(basename(project));
  const lacks = need !== undefined && !isThere(need);
  const compare = async (label, method, params) => {
    const theirParams = JSON.parse(JSON.stringify(params).replaceAll(copy, theirCopy));
    const [one, other] = [await ours.ask(method, params), await theirs.ask(method, theirParams)];
    const here = comparable(one, label);
    const there = comparable(other, label).replaceAll(theirCopy, copy);
    if (here === there) return { answer: one, agreed: true };
    const reason = ON_PURPOSE.get(label);
    if (reason === undefined) unexpected += 1;
    notes.push(
      reason === undefined
        ? `${label} DIFFERS: here ${here.slice(0, SHOWN)}\n           there ${there.slice(0, SHOWN)}`
        : `${label} differs on purpose: ${reason}`,
    );
    return { answer: one, agreed: reason !== undefined };
  };
  for (const [method, params] of requests) {
    const label = params.name ?? params.uri ?? params.ref?.name;
    if (method === 'template' || lacks) {
      worked += 1;
      if (lacks) notes.push(`${label}: not called, since ${need} is not here`);
      continue;
    }
    ours.asked = false;
    const { answer, agreed } = await compare(label, method, params);
    if (answer?.result === undefined) notes.push(`${label}: ${answer?.error?.message ?? 'no answer'}`);
    else if (agreed) worked += 1;
    if (!ours.asked) continue;
    for (const server of [ours, theirs]) server.willing = false;
    const { answer: declined } = await compare(`${label}, declined`, method, params);
    if (declined?.result === undefined) notes.push(`${label}, declined: ${declined?.error?.message}`);
    for (const server of [ours, theirs]) server.willing = true;
  }
  if (requests.length === 0 || worked < requests.length) failed += 1;
  const state = worked === requests.length && requests.length > 0 ? 'works' : 'FAILS';
  process.stdout.write(
    `${state}  ${basename(project)}: ${worked} of ${requests.length}${notes.map((note) => `\n         ${note}`).join('')}\n`,
  );
  await Promise.all([ours.end(), theirs.end()]);
}
rmSync(EMPTY, { recursive: true, force: true });
process.exit(failed + unexpected === 0 ? 0 : 1);
