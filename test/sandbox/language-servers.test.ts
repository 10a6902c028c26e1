import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findBackends } from '@rootward/sandbox';
import { answering } from '@rootward/mcp/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bareEnvironment, connectRootward, textOf } from '../server/fixtures/rootward.js';
import { eventually } from '../../testing/eventually.js';

const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
const working = new Set(
  (await findBackends()).flatMap(({ name, backend }) => (backend === undefined ? [] : [name])),
);

let base: string;
let listener: Server;
let connections = 0;

beforeAll(async () => {
  base = realpathSync(mkdtempSync('/var/tmp/rootward-hostile-'));
  listener = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listener.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const files: Readonly<Record<string, string>> = {
    'out/secret.ts': "export const secret: 'hunter' = 'hunter';\n",
    'out/tsconfig.json': '{ "compilerOptions": { "strict": true } }',
    'out/plugin/index.js': `require('fs').writeFileSync(${JSON.stringify(join(base, 'out/mark'))}, 'ran');`,
    'out/hidden.py': 'def outside() -> int: ...\n',
    'out/hidden.h': 'int outside(void);\n',
    'out/gomod/go.mod': 'module outside\n\ngo 1.19\n',
    'out/gomod/outside.go': 'package outside\n\nfunc Secret() int { return 1 }\n',
    'repo/tsconfig.json': JSON.stringify({
      extends: '../out/tsconfig.json',
      compilerOptions: { plugins: [{ name: '../../out/plugin' }], typeRoots: ['../out'] },
    }),
    'repo/a.ts': "import { secret } from '../out/secret';\nexport const wrong: number = secret;\n",
    'repo/pyrightconfig.json': JSON.stringify({ extraPaths: ['../out'], venvPath: '../out', venv: 'x' }),
    'repo/b.py': 'from hidden import outside\n\nprint(outside())\n',
    'repo/.clangd': `CompileFlags:\n  Add: [-I${join(base, 'out')}]\nIndex:\n  External:\n    Server: 127.0.0.1:${port}\n    MountPoint: ${base}\n`,
    'repo/c.c': '#include "../out/hidden.h"\n\nint use(void) { return outside(); }\n',
    'repo/go.mod': 'module hostile\n\ngo 1.19\n\nrequire outside v0.0.0\n\nreplace outside => ../out/gomod\n',
    'repo/d.go': 'package hostile\n\nimport "outside"\n\nvar X = outside.Secret()\n',
    'repo/e.yaml': `# yaml-language-server: $schema=${url}/schema.json\nname: 1\n`,
    'repo/f.yaml': '# yaml-language-server: $schema=../out/schema.json\nname: 1\n',
    'repo/g.sh': `#!/bin/bash\nsource ${url}/x.sh\nsource ../out/x.sh\nsourced\n`,
    'repo/h.json': `{ "$schema": "${url}/schema.json", "name": 1 }\n`,
    'repo/i.json': '{ "$schema": "../out/schema.json", "name": 1 }\n',
    'repo/j.html': `<link rel="stylesheet" href="${url}/x.css"><script src="../out/x.js"></script><p>x</p>\n`,
    'repo/k.css': `@import url("${url}/x.css");\n@import "../out/x.css";\np { color: red }\n`,
    'repo/l.scss': '@use "../out/x";\np { color: x.$hue }\n',
    'out/schema.json': '{ "properties": { "name": { "type": "string" } } }',
    'out/x.sh': 'sourced() { :; }\n',
    'out/x.js': 'var outside = 1;\n',
    'out/x.css': 'p { color: blue }\n',
    'out/_x.scss': '$hue: blue;\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), text);
  }
});

afterAll(() => {
  listener.close();
  rmSync(base, { recursive: true, force: true });
});

/** Names, sizes and contents of everything there is. */
function everything(): string {
  return readdirSync(base, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(base, name);
      return statSync(path).isFile() ? `${name} ${readFileSync(path, 'utf8')}` : name;
    })
    .join('\n');
}

/** The servers that are tested, the files that tempt them, and what lies outside. */
const TEMPTED: Readonly<
  Record<string, { readonly files: readonly string[]; readonly outside: readonly string[] }>
> = {
  typescript: { files: ['a.ts'], outside: ['secret.ts', 'tsconfig.json', 'plugin/index.js'] },
  pyright: { files: ['b.py'], outside: ['hidden.py'] },
  clangd: { files: ['c.c'], outside: ['hidden.h'] },
  gopls: { files: ['d.go'], outside: ['gomod/go.mod', 'gomod/outside.go'] },
  'yaml-language-server': { files: ['e.yaml', 'f.yaml'], outside: ['schema.json'] },
  'bash-language-server': { files: ['g.sh'], outside: ['x.sh'] },
  json: { files: ['h.json', 'i.json'], outside: ['schema.json'] },
  html: { files: ['j.html'], outside: ['x.js', 'x.css'] },
  css: { files: ['k.css', 'l.scss'], outside: ['x.css', '_x.scss'] },
};

/** What a server says when it could not read a file outside. */
const UNREAD: Readonly<Record<string, RegExp>> = {
  typescript: /Cannot find module|Cannot read file/,
  pyright: /could not be resolved/,
  clangd: /file not found|Permission denied/,
};

interface Outcome {
  /** What each server said. */
  readonly answers: Readonly<Record<string, string>>;
  /** What `workspace_info` says of each server that is installed. */
  readonly infos: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly changed: boolean;
  /** Files and folders outside that were read. */
  readonly read: ReadonlySet<string>;
}

const outcomes = new Map<string, Promise<Outcome>>();

/** Asks every server that is installed about every file, once for each way. */
function outcomeOf(...args: readonly string[]): Promise<Outcome> {
  const key = args.join(' ');
  const outcome = outcomes.get(key) ?? ask(args);
  outcomes.set(key, outcome);
  return outcome;
}

async function ask(args: readonly string[]): Promise<Outcome> {
  const before = everything();
  const outside = readdirSync(join(base, 'out'), { recursive: true, encoding: 'utf8' });
  // Whoever reads something leaves a newer time.
  for (const name of outside) utimesSync(join(base, 'out', name), UNTOUCHED, new Date());
  connections = 0;
  const env = { ...bareEnvironment(), ROOTWARD_PROGRAM_FOLDERS: BIN, HOME: process.env['HOME'] ?? '/' };
  const { client } = await connectRootward([...args, '--root', join(base, 'repo')], {}, { env, cwd: '/' });
  const answers: Record<string, string> = {};
  const infos: Record<string, string> = {};
  for (const [server, { files }] of Object.entries(TEMPTED)) {
    for (const file of files) {
      const said = [
        await client.callTool('diagnostics', { file }),
        await client.callTool('outline', { file }),
      ];
      answers[server] = (answers[server] ?? '') + said.map(textOf).join('\n');
    }
    // Only so many run at a time.
    const lines = textOf(await client.callTool('workspace_info')).split('\n');
    infos[server] = lines.find((line) => line.startsWith(`Language server ${server}:`)) ?? '';
  }
  const read = outside.filter((name) => statSync(join(base, 'out', name)).atimeMs !== UNTOUCHED.getTime());
  return { answers, infos, connections, changed: everything() !== before, read: new Set(read) };
}

/** Matches nothing. */
const NEVER = /(?!)/;
const UNTOUCHED = new Date('2001-01-01');

describe('A hostile repository', () => {
  test('would be read from outside without a sandbox', async ({ skip }) => {
    const { answers, infos, read } = await outcomeOf('--sandbox', 'off');
    const installed = Object.keys(TEMPTED).filter((server) => infos[server] !== '');
    expect(installed).toEqual(expect.arrayContaining(['typescript', 'pyright', 'json', 'html', 'css']));
    for (const server of installed) {
      expect(infos[server]).toContain('sandbox off');
      expect(answers[server]).not.toMatch(UNREAD[server] ?? NEVER);
    }
    if (read.size === 0) skip('this disk keeps no times of access');
    expect([...read]).toEqual(expect.arrayContaining(['secret.ts', 'hidden.py']));
  });

  describe.each(['bubblewrap', 'landlock'] as const)('in %s, as by default', (backend) => {
    test('reaches nothing: no connection, no file or folder outside, no change', async ({ skip }) => {
      if (!working.has(backend)) skip(`${backend} does not work here`);
      const { connections: came, changed, read, answers } = await outcomeOf('--sandbox-backend', backend);
      expect({ came, changed, read: [...read] }).toEqual({ came: 0, changed: false, read: [] });
      expect(JSON.stringify(answers)).not.toContain('hunter');
    });

    test.for(Object.entries(TEMPTED))(
      'reads nothing outside through %s',
      async ([server, { outside }], { skip }) => {
        if (!working.has(backend)) skip(`${backend} does not work here`);
        if ((await outcomeOf('--sandbox', 'off')).infos[server] === '') skip(`${server} is not installed`);
        const { answers, infos, read } = await outcomeOf('--sandbox-backend', backend);
        expect(infos[server]).toContain(`sandbox strict, ${backend}`);
        expect(outside.filter((name) => read.has(name))).toEqual([]);
        expect(answers[server]).toMatch(UNREAD[server] ?? /./);
      },
    );
  });
});

describe('A language server whose sandbox no longer matches', () => {
  test.skipIf(working.size === 0)(
    'is started again: a root that came is seen, one that went is not',
    async () => {
      for (const name of ['left', 'right']) {
        mkdirSync(join(base, name), { recursive: true });
        writeFileSync(join(base, name, `${name}.ts`), `export const ${name} = 1;\n`);
      }
      const uri = (name: string): { readonly uri: string } => ({ uri: pathToFileURL(join(base, name)).href });
      const use = `import { right } from '../right/right';\nexport const both: string = right;\n`;
      writeFileSync(join(base, 'left', 'use.ts'), use);
      const env = { ...bareEnvironment(), ROOTWARD_PROGRAM_FOLDERS: BIN, HOME: process.env['HOME'] ?? '/' };
      const { client } = await connectRootward([], { roots: answering([uri('left')]) }, { env, cwd: '/' });
      const file = join(base, 'left', 'use.ts');
      const problems = async (): Promise<string> => textOf(await client.callTool('diagnostics', { file }));
      expect(await problems()).toContain('Cannot find module');
      client.changeRoots(answering([uri('left'), uri('right')]));
      await eventually(async () => expect(await problems()).toContain('not assignable'));
      client.changeRoots(answering([uri('left')]));
      await eventually(async () => expect(await problems()).toContain('Cannot find module'));
    },
  );
});

test.skipIf(!working.has('landlock'))(
  'a sandbox that cannot hide a denied file says so with every answer',
  async () => {
    mkdirSync(join(base, 'ruled'), { recursive: true });
    writeFileSync(join(base, 'ruled', '.rootward.json'), '{ "deny": ["secret.ts"] }');
    writeFileSync(join(base, 'ruled', 'secret.ts'), 'export const secret = 1;\n');
    writeFileSync(join(base, 'ruled', 'open.ts'), 'export const open = 1;\n');
    const env = { ...bareEnvironment(), ROOTWARD_PROGRAM_FOLDERS: BIN, HOME: process.env['HOME'] ?? '/' };
    const args = ['--root', join(base, 'ruled'), '--sandbox-backend', 'landlock'];
    const { client } = await connectRootward(args, {}, { env, cwd: '/' });
    expect(textOf(await client.callTool('outline', { file: 'open.ts' }))).toContain(
      'is not held to every rule',
    );
    expect(textOf(await client.callTool('workspace_info'))).toContain('not held back: a rule denies');
  },
);
