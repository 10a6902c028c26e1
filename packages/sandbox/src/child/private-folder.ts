import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** What belongs to one child alone, and goes with it. */
export interface PrivateFolder {
  readonly path: string;
  readonly temp: string;
  readonly home: string;
  remove(): void;
}

const PREFIX = 'rootward-sandbox-';

/** The folder in which a process keeps those of its children, and what their sandboxes are made of. */
export class SandboxFolder implements Disposable {
  readonly path: string;
  /** A file and a folder that nobody can read, put in place of what is hidden. */
  readonly emptyFile: string;
  readonly emptyFolder: string;

  constructor(parent: string = tmpdir()) {
    removeAbandoned(parent);
    this.path = mkdtempSync(join(realpathSync(parent), `${PREFIX}${process.pid}-`));
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
    const temp = join(path, 'tmp');
    const home = join(path, 'home');
    mkdirSync(temp, { mode: 0o700 });
    mkdirSync(home, { mode: 0o700 });
    for (const target of links) {
      if (statSync(target, { throwIfNoEntry: false }) === undefined) continue;
      const link = join(home, relative(realHome, target));
      mkdirSync(dirname(link), { recursive: true });
      // One named folder may lie inside another.
      if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(target, link);
    }
    return { path, temp, home, remove: () => removeFolder(path) };
  }

  dispose(): void {
    removeFolder(this.path);
  }

  [Symbol.dispose](): void {
    this.dispose();
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
      // Somebody who is just ending still writes there; it goes with the folder around it.
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

/** A process that was killed could not clean up. Does NOT touch folders of other users. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const path = join(parent, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    removeFolder(path);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
