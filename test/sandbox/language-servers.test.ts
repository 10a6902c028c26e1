import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findBackends } from '@rootward/sandbox';
import { answering } from '@rootward/mcp/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bareEnvironment, connectRootward, textOf } from '../server/fixtures/rootward.js';

const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
const working = new Set(
  (await findBackends()).flatMap(({ name, backend }) => (backend === undefined ? [] : [name])),
);
const PATH = `${process.env['PATH'] ?? ''}${delimiter}${BIN}`;

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
    'repo/g.sh': `#!/bin/bash\nsource ${url}/x.sh\nsource ../out/x.sh\necho "$name"\n`,
    'out/schema.json': '{ "properties": { "name": { "type": "string" } } }',
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

/** What the servers that are installed here say about each file. */
async function ask(...args: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const env = { ...bareEnvironment(), PATH, HOME: process.env['HOME'] ?? '/' };
  const { client } = await connectRootward([...args, '--root', join(base, 'repo')], {}, { env });
  const answers: Record<string, string> = {};
  for (const file of ['a.ts', 'b.py', 'c.c', 'd.go', 'e.yaml', 'f.yaml', 'g.sh']) {
    answers[file] = textOf(await client.callTool('diagnostics', { file }));
  }
  answers['info'] = textOf(await client.callTool('workspace_info'));
  return answers;
}

/** What a server says when it could not read a file outside. */
const UNREAD: Readonly<Record<string, RegExp>> = {
  'a.ts': /Cannot find module|Cannot read file/,
  'b.py': /could not be resolved/,
  'c.c': /file not found|Permission denied/,
};

describe('A hostile repository with default settings', () => {
  test('would be read from outside without a sandbox', async () => {
    const answers = await ask('--sandbox', 'off');
    for (const [file, unread] of Object.entries(UNREAD)) expect(answers[file]).not.toMatch(unread);
    expect(answers['info']).toContain('sandbox off');
  });

  test.for(['bubblewrap', 'landlock'] as const)(
    'reaches nothing through a language server in %s: no connection, no file outside, no change',
    async (backend, { skip }) => {
      if (!working.has(backend)) skip(`${backend} does not work here`);
      const before = everything();
      connections = 0;
      const answers = await ask('--sandbox-backend', backend);
      expect(connections).toBe(0);
      expect(everything()).toBe(before);
      for (const [file, unread] of Object.entries(UNREAD)) expect(answers[file]).toMatch(unread);
      expect(JSON.stringify(answers)).not.toContain('hunter');
      expect(answers['info']).toContain(`sandbox strict, ${backend}`);
    },
  );
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
      const env = { ...bareEnvironment(), PATH, HOME: process.env['HOME'] ?? '/' };
      const { client } = await connectRootward([], { roots: answering([uri('left')]) }, { env });
      const file = join(base, 'left', 'use.ts');
      const problems = async (): Promise<string> => textOf(await client.callTool('diagnostics', { file }));
      expect(await problems()).toContain('Cannot find module');
      client.changeRoots(answering([uri('left'), uri('right')]));
      await vi.waitFor(async () => expect(await problems()).toContain('not assignable'), { timeout: 30_000 });
      client.changeRoots(answering([uri('left')]));
      await vi.waitFor(async () => expect(await problems()).toContain('Cannot find module'), {
        timeout: 30_000,
      });
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
    const env = { ...bareEnvironment(), PATH, HOME: process.env['HOME'] ?? '/' };
    const args = ['--root', join(base, 'ruled'), '--sandbox-backend', 'landlock'];
    const { client } = await connectRootward(args, {}, { env });
    expect(textOf(await client.callTool('outline', { file: 'open.ts' }))).toContain(
      'is not held to every rule',
    );
    expect(textOf(await client.callTool('workspace_info'))).toContain('not held back: a rule denies');
  },
);
