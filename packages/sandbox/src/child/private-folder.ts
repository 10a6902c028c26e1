import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { isAlive } from '@rootward/core/platform';

/**
 * What belongs to one child and is removed with it: its temporary folder and, if it has one, its private home
 * directory.
 */
export interface PrivateFolder {
  readonly path: string;
  /** Settles when it is gone. Never rejects. */
  remove(): Promise<void>;
}

const PREFIX = 'rootward-sandbox-';
const OWNED = new RegExp(`^${PREFIX}(\\w+)-(\\d+)-`);
/** Plans and filters that are kept to be read again; each snapshot has a few. */
const MAX_INPUTS = 32;

/** The folder in which a process keeps those of its children, and what their sandboxes are made of. */
export class SandboxFolder implements Disposable {
  readonly path: string;
  /** A file and a folder that nobody can read, put in place of what is hidden. */
  readonly emptyFile: string;
  readonly emptyFolder: string;
  /** Files by their contents: children of one snapshot are started with the same. */
  readonly #inputs = new Map<string, string>();
  #made = 0;

  constructor(parent: string = tmpdir()) {
    removeAbandoned(parent);
    this.path = mkdtempSync(
      join(realpathSync(parent), `${PREFIX}${processNamespace() ?? 'unknown'}-${process.pid}-`),
    );
    this.emptyFile = join(this.path, 'hidden-file');
    this.emptyFolder = join(this.path, 'hidden-folder');
    writeFileSync(this.emptyFile, '', { mode: 0 });
    mkdirSync(this.emptyFolder, { mode: 0 });
  }

  /** False once somebody cleaned up. */
  get isThere(): boolean {
    return lstatSync(this.emptyFile, { throwIfNoEntry: false }) !== undefined;
  }

  /** `links`: paths below `realHome` that the private home directory leads to. */
  add(realHome: string, links: readonly string[]): PrivateFolder {
    const path = mkdtempSync(join(this.path, 'child-'));
    for (const target of links) {
      if (statSync(target, { throwIfNoEntry: false }) === undefined) continue;
      const link = join(path, relative(realHome, target));
      mkdirSync(dirname(link), { recursive: true });
      // One named folder may lie inside another.
      if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(target, link);
    }
    return { path, remove: () => removeSoon(path) };
  }

  /** A descriptor that reads these bytes from their start. */
  openInput(bytes: Buffer): number {
    // The child keeps this one, and may write to it: what it leaves there must not reach another child.
    if (bytes.length === 0) return openSync(devNull, 'r');
    const key = bytes.toString('latin1');
    let file = this.#inputs.get(key);
    if (file === undefined) {
      file = join(this.path, `input-${++this.#made}`);
      writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
      this.#inputs.set(key, file);
      this.#dropOldestInput();
    }
    return openSync(file, 'r');
  }

  #dropOldestInput(): void {
    const [oldest] = this.#inputs;
    if (this.#inputs.size <= MAX_INPUTS || oldest === undefined) return;
    this.#inputs.delete(oldest[0]);
    unlinkSync(oldest[1]);
  }

  dispose(): void {
    removeFolder(this.path);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * Not immediately: on some disks, removing a folder takes milliseconds, and the answer of the child must not wait for
 * it.
 */
async function removeSoon(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch {
    await rm(path, { recursive: true, force: true }).catch(() => removeFolder(path));
  }
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A child may have left folders that not even their owner may enter.
    openUp(path);
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 2 });
    } catch {
      // A process that is ending still writes there; it is removed with the parent folder.
    }
  }
}

function openUp(folder: string): void {
  try {
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) openUp(join(folder, entry.name));
    }
  } catch {
    // Somebody removes it at the same time.
  }
}

/**
 * A process that was killed could not clean up. Does NOT touch folders of other users, nor of another process
 * namespace, such as a container that shares the folder for temporary files: its processes are not seen from here.
 */
function removeAbandoned(parent: string): void {
  const own = processNamespace();
  for (const name of readdirSync(parent)) {
    const [, namespace, pid] = OWNED.exec(name) ?? [];
    if (namespace === undefined || namespace !== own || isAlive(Number(pid))) continue;
    const path = join(parent, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    removeFolder(path);
  }
}

/** Within which process ids mean something; undefined where the system does not say. */
function processNamespace(): string | undefined {
  if (process.platform !== 'linux') return '0';
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  } catch {
    return undefined;
  }
}
