import { execFile, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { PROGRAM } from '../server/fixtures/rootward.js';

const run = promisify(execFile);
const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-install-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let count = 0;
function makeHome(): string {
  const home = join(top, String(count++));
  mkdirSync(join(home, '.cursor'), { recursive: true });
  return home;
}

/** Ends the process, as the kernel would, in the middle of what it writes. */
const KILLERS = {
  'half of the new file is written': `
    const { open } = files;
    files.open = async (path, ...rest) => {
      const handle = await open(path, ...rest);
      if (String(path).includes('mcp.json')) {
        handle.writeFile = async (text) => {
          await handle.write(text.slice(0, text.length / 2));
          process.kill(process.pid, 'SIGKILL');
          await new Promise(() => {});
        };
      }
      return handle;
    };`,
  'the new file is about to take the place of the old one': `
    const { rename } = files;
    files.rename = async (from, to) => {
      if (String(to).includes('mcp.json')) {
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => {});
      }
      return rename(from, to);
    };`,
};

describe.runIf(process.platform !== 'win32')('rootward install', () => {
  test.each(Object.entries(KILLERS))(
    'leaves the file as it was when it is killed as %s',
    async (_, killer) => {
      const home = makeHome();
      const file = join(home, '.cursor/mcp.json');
      const text = '{ "mcpServers": { "other": { "command": "x" } } }\n';
      writeFileSync(file, text);
      const preload = join(home, 'killer.cjs');
      writeFileSync(preload, `const files = require('node:fs/promises');\n${killer}`);
      const args = [PROGRAM, 'install', '--client', 'cursor', '--yes'];
      const killed = spawnSync(process.execPath, ['--require', preload, ...args], {
        env: { HOME: home },
        cwd: home,
      });
      expect(killed.signal).toBe('SIGKILL');
      expect(readFileSync(file, 'utf8')).toBe(text);

      await run(process.execPath, args, { env: { HOME: home }, cwd: home });
      expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json']);
      await run(process.execPath, [PROGRAM, 'uninstall', '--client', 'cursor', '--yes'], {
        env: { HOME: home },
        cwd: home,
      });
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  test('says that folders are missing for a client that does not report them', async () => {
    const home = makeHome();
    const install = (...folders: string[]): Promise<{ stderr: string }> =>
      run(process.execPath, [PROGRAM, 'install', '--client', 'windsurf', '--yes', ...folders], {
        env: { HOME: home },
        cwd: home,
      });
    expect((await install()).stderr).toContain('This client does not report its folders');
    expect((await install(home)).stderr).toBe('');
  });

  test('writes a command that starts this program', async () => {
    const home = makeHome();
    await run(process.execPath, [PROGRAM, 'install', '--client', 'cursor', '--yes', home], {
      env: { HOME: home },
      cwd: home,
    });
    const { mcpServers } = JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')) as {
      mcpServers: { rootward: { command: string; args: string[] } };
    };
    const { command, args } = mcpServers.rootward;
    const { stdout } = await run(command, [...args.slice(0, -1), '--version'], {
      env: { PATH: process.env['PATH'] },
    });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(args.at(-1)).toBe(home);
  });
});
