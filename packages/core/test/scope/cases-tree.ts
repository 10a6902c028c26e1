import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  lstatSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A tree with every kind of name and link that a fence must decide about. */
export interface CasesTree {
  readonly base: string;
  readonly inside: string;
  readonly outside: string;
}

const SECRET = 'secret';

function addLinks(inside: string, outside: string): void {
  const links: Record<string, string> = {
    'link-file': 'file.txt',
    'link-dir': 'dir',
    'link-slash': 'dir/',
    'link-dot': 'dir/.',
    'link-absolute': join(inside, 'dir'),
    'link-out-and-back': '../inside/dir',
    'chain-1': 'chain-2',
    'chain-2': 'chain-3',
    'chain-3': 'dir',
    far: 'dir/deep',
    'escape-up': '..',
    'escape-file': join(outside, 'secret.txt'),
    'escape-dir': outside,
    'escape-chain': 'escape-hop',
    'escape-hop': 'escape-dir',
    'escape-missing': join(outside, 'missing.txt'),
    dangling: 'nowhere',
    'dangling-chain': 'dangling',
    'cycle-a': 'cycle-b',
    'cycle-b': 'cycle-a',
    'proc-root': '/proc/self/root',
    'proc-cwd': '/proc/self/cwd',
    'dev-null': '/dev/null',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(inside, name));
}

export function makeCasesTree(): CasesTree {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-cases-'));
  const inside = join(base, 'inside');
  const outside = join(base, 'outside');
  mkdirSync(join(inside, 'dir', 'deep'), { recursive: true });
  writeFileSync(join(inside, 'file.txt'), 'inside\n');
  writeFileSync(join(inside, 'dir', 'nested.txt'), 'nested\n');
  writeFileSync(join(inside, 'dir', 'deep', 'x.txt'), 'deep\n');
  // Siblings that a careless comparison takes for the root; `[1]` is a glob to a careless matcher.
  for (const sibling of [
    'outside',
    'inside2',
    'insid',
    "inside'",
    'inside ',
    'inside"',
    'root1',
    'root[1]',
  ]) {
    mkdirSync(join(base, sibling));
    writeFileSync(join(base, sibling, 'secret.txt'), SECRET);
  }
  mkdirSync(join(outside, 'dir'));
  addLinks(inside, outside);
  return { base, inside, outside };
}

/** Not part of every tree: it takes a process to make one. */
export function addFifo(tree: CasesTree): void {
  const path = join(tree.inside, 'fifo');
  if (!existsSync(path)) execFileSync('mkfifo', [path]);
}

/** A socket needs somebody who listens; closed by the caller. */
export async function addSocket(tree: CasesTree): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(join(tree.inside, 'socket'), resolve);
  });
  return server;
}

/** Everything outside the root with content and mode: equal before and after, or something escaped. */
export function fingerprintOutside(tree: CasesTree): Record<string, string> {
  const print: Record<string, string> = {};
  const visit = (directory: string): void => {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (path === tree.inside) continue;
      const stats = lstatSync(path);
      print[path] = `${stats.mode.toString(8)} ${stats.isFile() ? readFileSync(path, 'utf8') : ''}`;
      if (stats.isDirectory()) visit(path);
    }
  };
  visit(tree.base);
  return print;
}
