// Starts each server with the same client and the same folders, and compares what it does with docs/comparison.md:
// node scripts/measurements/compare-servers.mjs [--mcp-bash FOLDER] [--1mcp FOLDER] [--write] (needs a build). The folders
// are clones; that of 1MCP has its dependencies and build/index.js. A server whose folder is not given is left out. Fails
// where the page says something else; with --write, writes the table and the day into it.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { StdioServer } from './stdio-server.mjs';

const { values: given } = parseArgs({
  options: {
    'mcp-bash': { type: 'string' },
    '1mcp': { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PAGE = here('../../docs/comparison.md');
/** A server that has not said anything by then is taken to have nothing to say. */
const LIMIT_MS = 300_000;
/** How long a server may take to act on what it was told; one written in shell needs seconds for a call. */
const SETTLE_MS = 15_000;
/** The client answers after a moment, as one does that asks its user interface: mcp-bash misses an answer that comes at once. */
const ANSWER_AFTER_MS = 3000;
/** mcp-bash does not ask twice within a second. */
const CHANGE_AFTER_MS = 4000;

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-compare-')));
const folder = (name) => join(top, name);
const uri = (name) => pathToFileURL(folder(name)).href;

function makeFolders() {
  for (const name of ['shop', 'blog', 'outside', 'home']) {
    mkdirSync(folder(name));
    writeFileSync(join(folder(name), 'note.txt'), `the note of ${name}`);
  }
  symlinkSync(folder('outside'), join(folder('shop'), 'link'));
}

const version = (file) => JSON.parse(readFileSync(file, 'utf8')).version;
const REFERENCE = here('../../node_modules/@modelcontextprotocol/server-filesystem');
const reference = (folders) => [process.execPath, join(REFERENCE, 'dist', 'index.js'), ...folders];
let configurations = 0;

/** 1MCP in front of the reference server. Each start has a configuration of its own, since it allows one process for each. */
function oneMcp(clone) {
  return {
    name: '1MCP',
    version: version(join(clone, 'package.json')),
    tool: 'files_1mcp_read_text_file',
    command: (folders) => {
      const [command, ...args] = reference(folders);
      configurations += 1;
      const own = join(top, `1mcp-${configurations}`);
      mkdirSync(own);
      writeFileSync(join(own, 'mcp.json'), JSON.stringify({ mcpServers: { files: { command, args } } }));
      const where = ['--config', join(own, 'mcp.json'), '--config-dir', own];
      return [process.execPath, join(clone, 'build', 'index.js'), 'serve', '--transport', 'stdio', ...where];
    },
  };
}

/** Its own example of a tool that keeps to the roots. */
function mcpBash(clone) {
  return {
    name: 'mcp-bash',
    version: readFileSync(join(clone, 'VERSION'), 'utf8').trim(),
    tool: 'example-roots-read',
    command: () => [join(clone, 'bin', 'mcp-bash')],
    environment: (folders) => ({
      MCPBASH_PROJECT_ROOT: join(clone, 'examples', '04-roots-basics'),
      MCPBASH_TOOL_ALLOWLIST: '*',
      ...(folders.length > 0 && { MCPBASH_ROOTS: folders.join(delimiter) }),
    }),
  };
}

const SERVERS = [
  {
    // As it is in this repository, so without a version.
    name: 'rootward',
    command: (folders) => [process.execPath, here('../../packages/server/dist/rootward.cjs'), ...folders],
    tool: 'read_text_file',
  },
  {
    name: 'server-filesystem',
    version: version(join(REFERENCE, 'package.json')),
    command: reference,
    tool: 'read_text_file',
  },
  ...(given['1mcp'] === undefined ? [] : [oneMcp(resolve(given['1mcp']))]),
  ...(given['mcp-bash'] === undefined ? [] : [mcpBash(resolve(given['mcp-bash']))]),
];

class NoAnswer extends Error {}

/** A client that names what stands in `roots`; one whose `roots` is undefined never answers. */
class Client {
  roots;
  #tool;
  #server;
  #hears = [];

  constructor({ command, tool, environment }, folders, roots) {
    this.roots = roots;
    this.#tool = tool;
    this.#server = new StdioServer(
      command(folders),
      {
        cwd: folder('home'),
        env: { PATH: process.env.PATH, HOME: folder('home'), ...environment?.(folders) },
      },
      { limitMs: LIMIT_MS, answer: (request, send) => this.#answer(request, send) },
    );
  }

  async introduce() {
    await this.#server.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: 'compare', version: '1.0.0' },
    });
    this.#server.notify('notifications/initialized');
    return this;
  }

  /** Resolves when the server has been answered, or when it does not ask in time. */
  async change(roots) {
    await pause(CHANGE_AFTER_MS);
    this.roots = roots;
    const heard = this.heard();
    this.#server.notify('notifications/roots/list_changed');
    return heard;
  }

  heard() {
    return new Promise((settle) => {
      const timer = setTimeout(() => settle(false), SETTLE_MS);
      this.#hears.push(() => {
        clearTimeout(timer);
        settle(true);
      });
    });
  }

  /** Whether the file can be read; asked again for a while, since some servers take an answer in with delay. */
  async reads(path, wanted) {
    for (const end = Date.now() + SETTLE_MS; ;) {
      const answer = await this.#server.ask('tools/call', { name: this.#tool, arguments: { path } });
      if (answer === undefined) throw new NoAnswer();
      const { result } = answer;
      const isRead =
        result !== undefined && result.isError !== true && JSON.stringify(result).includes('the note of');
      if (isRead === wanted || Date.now() > end) return isRead;
    }
  }

  /** A call of revision 2026-07-28, without any introduction. */
  async callsAlone(path) {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'compare', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: this.#tool, arguments: { path }, _meta: meta };
    const answer = await this.#server.ask('tools/call', params);
    return JSON.stringify(answer ?? '').includes('"resultType"');
  }

  end() {
    return this.#server.end();
  }

  #answer({ method }, send) {
    if (method !== 'roots/list') return;
    if (this.roots === undefined) return;
    setTimeout(() => {
      send({ roots: this.roots.map((each) => ({ uri: each })) });
      for (const hear of this.#hears.splice(0)) hear();
    }, ANSWER_AFTER_MS);
  }
}

const pause = (ms) => new Promise((settle) => setTimeout(settle, ms));
const note = (name) => join(folder(name), 'note.txt');

async function withClient(server, folders, roots, act) {
  const client = new Client(server, folders, roots);
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

/** What is looked at, and how; undefined where the question does not arise. */
const QUESTIONS = [
  {
    what: 'asks the client for its folders',
    ask: (server) =>
      withClient(server, [folder('outside')], [uri('shop')], async (client) => {
        await client.introduce();
        return client.reads(note('shop'), true);
      }),
  },
  {
    what: 'follows when they change',
    ifAsked: true,
    ask: (server) =>
      withClient(server, [folder('outside')], [uri('shop')], async (client) => {
        await client.introduce();
        await client.reads(note('shop'), true);
        await client.change([uri('shop'), uri('blog')]);
        return client.reads(note('blog'), true);
      }),
  },
  {
    what: 'takes them away when the client answers `[]`',
    ifAsked: true,
    ask: (server) =>
      withClient(server, [], [uri('shop')], async (client) => {
        const heard = client.heard();
        await client.introduce();
        await heard;
        if (!(await client.reads(note('shop'), true))) return undefined;
        await client.change([]);
        return !(await client.reads(note('shop'), false));
      }),
  },
  {
    what: 'keeps the good ones of a list with one bad entry',
    ifAsked: true,
    ask: (server) =>
      withClient(server, [folder('outside')], ['https://example.com', uri('shop')], async (client) => {
        await client.introduce();
        return client.reads(note('shop'), true);
      }),
  },
  {
    what: 'serves configured folders to a client that never answers',
    ask: (server) =>
      withClient(server, [folder('shop')], undefined, async (client) => {
        await client.introduce();
        return client.reads(note('shop'), true);
      }),
  },
  {
    what: 'refuses a link that leads out',
    ask: (server) =>
      withClient(server, [folder('shop')], [uri('shop')], async (client) => {
        await client.introduce();
        if (!(await client.reads(note('shop'), true))) return false;
        return !(await client.reads(join(folder('shop'), 'link', 'note.txt'), false));
      }),
  },
  {
    what: 'answers clients of revision 2026-07-28',
    ask: (server) => withClient(server, [folder('shop')], [], (client) => client.callsAlone(note('shop'))),
  },
];

const TABLE = /(?<=<!-- compared:begin -->\n).*?(?=<!-- compared:end -->)/s;
const DAY = /(?<=last run on )\d{4}-\d\d-\d\d/;

function wordFor(answer) {
  return answer === undefined ? undefined : answer ? 'yes' : 'no';
}

/** A server that says nothing neither allows nor refuses. */
function noAnswer(error) {
  if (error instanceof NoAnswer) return 'no answer';
  throw error;
}

async function columnOf(server) {
  const cells = [];
  for (const { ask, ifAsked } of QUESTIONS) {
    const answer = ifAsked && cells[0] === 'no' ? undefined : await ask(server).then(wordFor, noAnswer);
    cells.push(answer ?? '–');
  }
  return { title: [server.name, server.version].join(' ').trim(), cells };
}

/** The columns of the table on the page. */
function columnsOf(table) {
  const [titles = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return titles.slice(1).map((title, index) => ({ title, cells: rows.map((row) => row[index + 1]) }));
}

makeFolders();
const measured = [];
try {
  for (const server of SERVERS) measured.push(await columnOf(server));
} finally {
  rmSync(top, { recursive: true, force: true });
}
const page = readFileSync(PAGE, 'utf8');
const kept = columnsOf(TABLE.exec(page)?.[0] ?? '');
const nameOf = ({ title }) => title.split(' ')[0];
const columns = [
  ...measured,
  ...kept.filter((column) => !measured.some((each) => nameOf(each) === nameOf(column))),
];
const lines = [
  ['what was looked at', ...columns.map(({ title }) => title)],
  ['---', ...columns.map(() => '---')],
  ...QUESTIONS.map(({ what }, index) => [what].concat(columns.map(({ cells }) => cells[index]))),
].map((cells) => `| ${cells.join(' | ')} |`);
if (given.write) {
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(PAGE, page.replace(TABLE, () => `${lines.join('\n')}\n`).replace(DAY, day));
} else {
  for (const column of measured) {
    const said = kept.find((each) => nameOf(each) === nameOf(column));
    if (JSON.stringify(said) === JSON.stringify(column)) continue;
    process.exitCode = 1;
    console.error(`docs/comparison.md says something else of ${column.title}: ${column.cells.join(', ')}`);
  }
}
