import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkHost, publicLookup, Refusal } from './download-hosts.js';

const TIMEOUT_MS = 30_000;
const LOOK_MS = 100;
/** Of a whole repository, as it is sent. */
const MAX_REPOSITORY_BYTES = 50 * 1024 * 1024;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** What git prints before a file. */
const MAX_HEADER_BYTES = 200;
/** What a name of a branch, a tag or a commit is made of; a dash in front would be an option. */
const REF = /^[A-Za-z0-9_][\w./+-]*$/;

interface Source {
  readonly repository: URL;
  readonly ref: string;
  readonly path: string;
}

/**
 * A file of a repository: `git+https://host/repository#ref:path`, or `#path` for the newest commit. Hosts are those of
 * `--download-hosts`, as for every download. Nothing is checked out: the file is read from the commit, so that no link
 * in it leads outside, and no hook or filter of it runs.
 */
export async function fetchFromGit(uri: string): Promise<Buffer> {
  const source = parseSource(uri);
  checkHost(source.repository.hostname);
  const pin = await pinned(source.repository);
  const folder = mkdtempSync(join(tmpdir(), 'rootward-git-'));
  try {
    const git = new Git(folder);
    await git.run(['init', '--quiet', '--bare', '.']);
    await git.run([...pin, 'fetch', '--quiet', '--depth=1', '--no-tags', source.repository.href, source.ref]);
    return fileIn(await git.run(['cat-file', '--batch', '--follow-symlinks'], `FETCH_HEAD:${source.path}\n`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parseSource(uri: string): Source {
  const [, address = '', fragment = ''] = /^git\+(https:[^#]+)#(.+)$/.exec(uri) ?? [];
  const repository = URL.canParse(address) ? new URL(address) : undefined;
  if (repository === undefined) throw wrong('it must look like git+https://host/repository#ref:path');
  if (repository.username !== '' || repository.password !== '') throw wrong('it must hold no password');
  const named = decoded(fragment);
  const colon = named.indexOf(':');
  const ref = colon === -1 ? 'HEAD' : named.slice(0, colon);
  const path = named.slice(colon + 1).replace(/^\/+/, '');
  if (!REF.test(ref)) throw wrong(`${JSON.stringify(ref)} is not the name of a branch, a tag or a commit`);
  if (path === '' || path.includes('\n')) throw wrong('the path of a file is missing');
  return { repository, ref, path };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong(`${JSON.stringify(text)} is not encoded correctly`);
  }
}

/** The address that was checked is the one git connects to. */
async function pinned({ hostname, port }: URL): Promise<readonly string[]> {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return [];
  const address = await new Promise<string>((resolve, reject) => {
    publicLookup(hostname, {}, (error, found) => {
      const [first] = typeof found === 'string' ? [found] : found.map((each) => each.address);
      if (error === null && first !== undefined) resolve(first);
      else reject(error ?? new Refusal('network_error', `${hostname} has no address`));
    });
  });
  return ['-c', `http.curloptResolve=${hostname}:${port === '' ? '443' : port}:${address}`];
}

/** Runs git with no configuration but ours. */
class Git {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string) {
    this.#folder = folder;
    const { PATH, GIT_SSL_CAINFO } = process.env;
    this.#env = {
      PATH,
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: 'https',
      ...(GIT_SSL_CAINFO !== undefined && { GIT_SSL_CAINFO }),
    };
  }

  run(args: readonly string[], input = ''): Promise<Buffer> {
    const child = spawn('git', ['-c', 'http.followRedirects=false', '-c', 'gc.auto=0', ...args], {
      cwd: this.#folder,
      env: this.#env,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      let said = '';
      let why: Refusal | undefined;
      const stop = (refusal: Refusal): void => {
        why ??= refusal;
        child.kill('SIGKILL');
      };
      const looking = setInterval(() => {
        if (sizeOf(this.#folder) > MAX_REPOSITORY_BYTES)
          stop(new Refusal('size_exceeded', `the repository is larger than ${MAX_REPOSITORY_BYTES} bytes`));
      }, LOOK_MS);
      child.stdout.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > MAX_FILE_BYTES + MAX_HEADER_BYTES)
          stop(new Refusal('size_exceeded', `it is larger than ${MAX_FILE_BYTES} bytes`));
      });
      child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2000)));
      child.on('error', (error) => stop(new Refusal('network_error', `git cannot be run: ${error.message}`)));
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      child.on('close', (code) => {
        clearInterval(looking);
        if (why === undefined && code === 0) return resolve(Buffer.concat(chunks));
        return reject(why ?? new Refusal('network_error', said.trim() || 'git took too long'));
      });
    });
  }
}

/** `OID blob SIZE`, a line break, and the file; or a word that says why there is none. */
function fileIn(printed: Buffer): Buffer {
  const end = printed.indexOf('\n');
  const [, kind, size] = printed.subarray(0, end).toString().split(' ');
  if (kind !== 'blob') throw new Refusal('not_found', 'the repository has no such file');
  return printed.subarray(end + 1, end + 1 + Number(size));
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  } catch {
    // A file that git has just moved.
    return 0;
  }
}

function wrong(message: string): Refusal {
  return new Refusal('invalid_url', message);
}
