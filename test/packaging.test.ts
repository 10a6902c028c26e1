import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packing } from '../testing/packing.js';
import { blocksIn, repository } from './docs/pages.js';

const run = promisify(execFile);
/** The platform package for this machine, if there is one. */
const here = `${process.platform}-${process.arch}`;
const windows = process.platform === 'win32';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, unknown>>;
}

interface PublicPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

const PACKAGES: readonly PublicPackage[] = readdirSync(join(repository, 'packages'))
  .map((name) => join(repository, 'packages', name))
  .map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest,
  }))
  .filter(({ manifest }) => manifest.private !== true)
  // npm refuses to install a program for another processor.
  .filter(({ manifest }) => !manifest.name.includes('-linux-') || manifest.name.endsWith(`-${here}`));

/** What an author of a server has installed anyway, at the versions tested here. */
const BESIDES = [
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/server',
  '@redis/client',
  '@types/node',
  'zod',
];

function installedVersion(name: string): string {
  const manifest = readFileSync(join(repository, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as Manifest).version;
}

/** The lowest version of SDK v1 that is tested. */
const LOWEST = '@modelcontextprotocol/sdk-lowest';
const POINTER = /^\/\/# sourceMappingURL=/m;

/** What `import` of each package may name, apart from data. */
const MODULES = PACKAGES.flatMap(({ manifest }) =>
  Object.keys(manifest.exports)
    .filter((path) => !path.endsWith('.json'))
    .map((path) => posix.join(manifest.name, path)),
);

let project: string;

function npm(args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  return run('npm', [...args], { cwd, shell: windows });
}

async function pack({ folder, manifest }: PublicPackage): Promise<string> {
  const { stdout } = await npm(['pack', '--json', '--pack-destination', project], folder);
  // `prepare` of the repository does not run for a package, so what is printed is the list alone.
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const names = packed.files.map(({ path }) => path);
  expect(names, `${folder} has what a package page shows`).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'package.json']),
  );
  const launcher = 'bin/rootward-launcher';
  if (existsSync(join(folder, launcher))) expect(names).toContain(launcher);
  if (manifest.name === 'rootward') expect(names).toContain('dist/THIRD-PARTY-NOTICES.txt');
  expect(names.filter((name) => /^(test|src)\/|\.tsbuildinfo$|\.cache$/.test(name))).toEqual([]);
  // Sources are not in the package, so nothing may point at them.
  expect(names.filter((name) => name.endsWith('.map'))).toEqual([]);
  const code = names.filter((name) => /\.(?:[cm]?js|d\.[cm]?ts)$/.test(name));
  expect(code.filter((name) => POINTER.test(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
  return join(project, packed.filename);
}

/** Checks the types of files in the project, as strictly as a user may. */
function compile(
  files: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
): Promise<{ stdout: string; stderr: string }> {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    moduleDetection: 'force',
    strict: true,
    noEmit: true,
    types: ['node'],
    ...options,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return run(process.execPath, [join(repository, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', project]);
}

beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-packaging-')));
  const tarballs = await packing(() => Promise.all(PACKAGES.map(pack)));
  const besides = BESIDES.map((name) => `${name}@${installedVersion(name)}`);
  writeFileSync(join(project, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
  const lowest = `${LOWEST}@npm:@modelcontextprotocol/sdk@${installedVersion(LOWEST)}`;
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
  await npm([...install, ...tarballs, ...besides, lowest], project);
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

test('a command that npm can link before the package is built', () => {
  const folder = join(repository, 'packages/server');
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: { rootward: string };
  };
  expect(bin.rootward.startsWith('dist/')).toBe(false);
  expect(statSync(join(folder, bin.rootward)).mode & 0o111).toBe(windows ? 0 : 0o111);
});

test.skipIf(windows)('npm install in a clone links the command to a file that is committed', async () => {
  const command = join(repository, 'node_modules/.bin/rootward');
  expect(realpathSync(command)).toBe(realpathSync(join(repository, 'packages/server/bin/rootward.cjs')));
  const { stdout } = await run(command, ['--version'], { cwd: tmpdir() });
  expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
});

describe('The packages, installed from their tarballs into an empty project', () => {
  test('there are some with something to import', () => {
    expect(MODULES).toEqual(expect.arrayContaining(['@rootward/core', '@rootward/mcp', '@rootward/mcp/v1']));
  });

  test('can be imported, every entry of them', async () => {
    const imports = MODULES.map((name) => `console.log(Object.keys(await import('${name}')).length)`);
    writeFileSync(join(project, 'imports.mjs'), imports.join('\n'));
    const { stdout } = await run(process.execPath, ['imports.mjs'], { cwd: project });
    const counts = stdout.trim().split('\n').map(Number);
    expect(counts).toHaveLength(MODULES.length);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  // One look for all of them: most of it goes to the declarations of their dependencies.
  test('bring types that hold, and make the code of the guides and the examples hold under strict', async () => {
    writeFileSync(
      join(project, 'server.ts'),
      `import { McpServer } from '@modelcontextprotocol/server';
import type { Root } from '@rootward/core';
import { withWorkspace } from '@rootward/mcp';
import { z } from 'zod';

const server = withWorkspace(new McpServer({ name: 'typed', version: '1.0.0' }), { roots: ['/'] });
server.registerTool('count', { inputSchema: z.object({ path: z.string() }) }, async ({ path }, ctx) => {
  const scope = await ctx.workspace.scope();
  const roots: readonly Root[] = await ctx.workspace.roots();
  // @ts-expect-error a root has no such property, so the types are not just any
  roots[0]?.nonsense;
  return { content: [{ type: 'text', text: String((await scope.readText(path)).text.length) }] };
});
`,
    );
    const shown = blocksIn('js').map(({ page, line, code }) => ({ name: `${page}-${line}`, code }));
    const servers = ['server-v1', 'server-v2', 'server-http'].map((name) => ({
      name,
      code: readFileSync(join(repository, 'examples', name, 'server.mjs'), 'utf8'),
    }));
    const files = [...shown, ...servers].map(({ name, code }) => {
      const file = `${name.replaceAll(/\W/g, '-')}.ts`;
      writeFileSync(join(project, file), code);
      return file;
    });
    await expect(compile(['server.ts', ...files])).resolves.toMatchObject({ stdout: '' });
  });

  test('bring types for the lowest version of SDK v1 that they say they work with', async () => {
    writeFileSync(
      join(project, 'lowest.ts'),
      `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { withWorkspace } from '@rootward/mcp/v1';
import { z } from 'zod';

const server = withWorkspace(new McpServer({ name: 'typed', version: '1.0.0' }));
server.registerTool('count', { inputSchema: { path: z.string() } }, async ({ path }, { workspace, signal }) => {
  // @ts-expect-error the path is a string, so the types are not just any
  path.toFixed();
  // @ts-expect-error there is no such member
  signal.nonsense;
  const { text } = await (await workspace.scope()).readText(path);
  return { content: [{ type: 'text', text }] };
});
// @ts-expect-error a tool returns content
server.tool('older', 'about', { path: z.string() }, ({ path }, { workspace }) => ({ path, workspace }));
`,
    );
    const paths = { '@modelcontextprotocol/sdk/*': [`./node_modules/${LOWEST}/dist/esm/*`] };
    // The declarations of that version need a package that it does not bring.
    const options = { paths, skipLibCheck: true };
    await expect(compile(['lowest.ts'], options)).resolves.toMatchObject({ stdout: '' });
    const { peerDependencies } = JSON.parse(
      readFileSync(join(repository, 'packages/mcp/package.json'), 'utf8'),
    ) as { peerDependencies: Record<string, string> };
    expect(peerDependencies['@modelcontextprotocol/sdk']).toBe(`^${installedVersion(LOWEST)}`);
  });

  test('bring types for CommonJS under node16', async () => {
    writeFileSync(
      join(project, 'common.cts'),
      `import { McpServer } from '@modelcontextprotocol/server';
import { RootwardError } from '@rootward/core';
import { withWorkspace } from '@rootward/mcp';

const server = withWorkspace(new McpServer({ name: 'common', version: '1.0.0' }), { roots: [__dirname] });
server.registerTool('where', {}, async (ctx) => {
  // @ts-expect-error there is no such accessor, so the types are not just any
  await ctx.workspace.nonsense();
  return { content: [{ type: 'text', text: String(await ctx.workspace.directory()) }] };
});
console.log(typeof RootwardError, typeof server.registerTool);
`,
    );
    const options = { module: 'node16', moduleResolution: 'node16', noEmit: false, outDir: 'out' };
    await expect(compile(['common.cts'], options)).resolves.toMatchObject({ stdout: '' });
    const { stdout } = await run(process.execPath, [join(project, 'out', 'common.cjs')]);
    expect(stdout.trim()).toBe('function function');
  });

  test('start with npx', async () => {
    const { stdout } = await run('npx', ['--no-install', 'rootward', '--version'], {
      cwd: project,
      shell: windows,
    });
    const server = PACKAGES.find(({ manifest }) => manifest.name === 'rootward');
    expect(stdout.trim()).toBe(server?.manifest.version);
  });

  test('name in a configuration the program that is there, since no registry has it', async () => {
    const { stdout: text } = await run('npx', ['--no-install', 'rootward', 'config', '--client', 'cursor'], {
      cwd: project,
      shell: windows,
    });
    const { mcpServers } = JSON.parse(text) as {
      mcpServers: { rootward: { command: string; args: string[] } };
    };
    const { command, args } = mcpServers.rootward;
    expect([command, args]).toEqual(['node', [join(project, 'node_modules/rootward/dist/rootward.cjs')]]);
    const { stdout } = await run(command, [...args, '--version'], { cwd: tmpdir() });
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('serve a call over stdio', async () => {
    const folder = join(project, 'open');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'served from a tarball');
    const client = new Client({ name: 'packaging', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({
        command: 'npx',
        args: ['--no-install', 'rootward', folder],
        cwd: project,
        stderr: 'ignore',
      }),
    );
    try {
      const read = async (path: string): Promise<unknown> =>
        client.callTool({ name: 'read_text_file', arguments: { path } });
      expect(await read('notes.txt')).toMatchObject({ content: [{ text: 'served from a tarball' }] });
      expect(await read(join(project, 'package.json'))).toMatchObject({ isError: true });
    } finally {
      await client.close();
    }
  });
});
