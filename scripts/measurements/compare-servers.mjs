// Starts each server with the same client and the same folders, and fails where it does something else than
// docs/comparison.md says: node scripts/measurements/compare-servers.mjs (needs a build).
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
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { StdioServer } from './stdio-server.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PAGE = here('../../docs/comparison.md');
/** A server that has not said anything by then is taken to have nothing to say. */
const LIMIT_MS = 20_000;
/** How long a server may take to act on what it was told. */
const SETTLE_MS = 1500;

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

const SERVERS = [
  {
    // As it is in this repository, so without a version.
    name: 'rootward',
    command: (folders) => [process.execPath, here('../../packages/server/dist/rootward.cjs'), ...folders],
    tool: 'read_text_file',
  },
  {
    name: 'server-filesystem',
    version: JSON.parse(
      readFileSync(here('../../node_modules/@modelcontextprotocol/server-filesystem/package.json'), 'utf8'),
    ).version,
    command: (folders) => [
      process.execPath,
      here('../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'),
      ...folders,
    ],
    tool: 'read_text_file',
  },
];
/** A client that names what stands in `roots`; one whose `roots` is undefined never answers. */
class Client {
  roots;
  asked = 0;
  #tool;
  #server;
  #hears = [];

  constructor({ command, tool }, folders, roots) {
    this.roots = roots;
    this.#tool = tool;
    this.#server = new StdioServer(
      command(folders),
      { cwd: folder('home'), env: { PATH: process.env.PATH, HOME: folder('home') } },
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
      const { result } =
        (await this.#server.ask('tools/call', { name: this.#tool, arguments: { path } })) ?? {};
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
    this.asked += 1;
    if (this.roots === undefined) return;
    send({ roots: this.roots.map((each) => ({ uri: each })) });
    for (const hear of this.#hears.splice(0)) hear();
  }
}

const note = (name) => join(folder(name), 'note.txt');

async function withClient(server, folders, roots, act) {
  const client = new Client(server, folders, roots);
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

/** What is looked at, and how. */
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
    ask: (server) =>
      withClient(server, [], [uri('shop')], async (client) => {
        const heard = client.heard();
        await client.introduce();
        await heard;
        if (!(await client.reads(note('shop'), true))) return false;
        await client.change([]);
        return !(await client.reads(note('shop'), false));
      }),
  },
  {
    what: 'keeps the good ones of a list with one bad entry',
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

makeFolders();
const page = readFileSync(PAGE, 'utf8');
/** The table of what was run, by its first column. */
const table = page.split('\n\n').find((part) => part.startsWith('| what was looked at')) ?? '';
const rows = new Map(
  [...table.matchAll(/^\| ([^|]+?) +\|(.*)\|$/gm)].map(([, what, cells]) => [
    what,
    cells.split('|').map((cell) => cell.trim()),
  ]),
);
const names = rows.get('what was looked at');
const problems = [];
try {
  for (const server of SERVERS) {
    const column = names.findIndex((name) => name.startsWith(server.name));
    const { version } = server;
    if (names[column] !== (version === undefined ? server.name : `${server.name} ${version}`))
      problems.push(`${server.name} is version ${version}`);
    const answers = await Promise.all(QUESTIONS.map(({ ask }) => ask(server)));
    QUESTIONS.forEach(({ what }, index) => {
      const answer = answers[index] ? 'yes' : 'no';
      if (rows.get(what)?.[column] !== answer) problems.push(`${server.name}: ${what}: ${answer}`);
    });
  }
} finally {
  rmSync(top, { recursive: true, force: true });
}
for (const problem of problems) console.error(`docs/comparison.md says something else: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
