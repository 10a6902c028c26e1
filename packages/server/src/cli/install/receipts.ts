import { createHash } from 'node:crypto';
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@rootward/core/platform';
import { type KeyPath } from './formats/edit.js';
import { writeWhole } from './write-file.js';

/** What is remembered of one file that `install` wrote, so that `uninstall` can give back exactly what was there. */
export interface Receipt {
  readonly file: string;
  /** Whose entry it is: the client and the name of the server. */
  readonly client: string;
  readonly server: string;
  /** The digest of what was written. While the file still has it, the copy takes its place. */
  readonly wrote: string;
  /** The digest of what was there, or null where there was no file. Missing where the file changed in between. */
  readonly before?: string | null;
  /** Members and folders that were made for the entry. */
  readonly created: readonly KeyPath[];
  readonly folders: readonly string[];
}

/** The receipts of a user, and the copies of files as they were. */
export class Receipts {
  readonly #folder: string;

  constructor(stateDirectory: string) {
    this.#folder = join(stateDirectory, 'install');
  }

  async find(file: string, client: string, server: string): Promise<Receipt | undefined> {
    return (await this.#read()).find(isFor(file, client, server));
  }

  /** Keeps the receipt, replacing an older one for the same entry. */
  async keep(receipt: Receipt): Promise<void> {
    const others = (await this.#read()).filter(
      (other) => !isFor(receipt.file, receipt.client, receipt.server)(other),
    );
    await this.#write([...others, receipt]);
  }

  async drop(receipt: Receipt): Promise<void> {
    const others = (await this.#read()).filter(
      (other) => !isFor(receipt.file, receipt.client, receipt.server)(other),
    );
    await this.#write(others);
    const { before } = receipt;
    const isUsed = others.some((other) => other.before === before);
    if (typeof before === 'string' && !isUsed) await unlink(this.#copyPath(before)).catch(() => undefined);
  }

  /** Keeps a copy of file content. Returns its digest and path. */
  async copy(text: string): Promise<{ readonly digest: string; readonly path: string }> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const digest = digestOf(text);
    const path = this.#copyPath(digest);
    // Files of clients hold tokens.
    await writeFile(path, text, { mode: 0o600 });
    return { digest, path };
  }

  /** Kept content, if it is unchanged. */
  async text(digest: string): Promise<string | undefined> {
    try {
      const text = await readFile(this.#copyPath(digest), 'utf8');
      return digestOf(text) === digest ? text : undefined;
    } catch {
      return undefined;
    }
  }

  #copyPath(digest: string): string {
    return join(this.#folder, `${digest}.copy`);
  }

  get #list(): string {
    return join(this.#folder, 'receipts.json');
  }

  async #read(): Promise<readonly Receipt[]> {
    let text;
    try {
      text = await readFile(this.#list, 'utf8');
    } catch {
      return [];
    }
    try {
      const list: unknown = JSON.parse(text);
      return Array.isArray(list) ? list.filter(isReceipt) : [];
    } catch {
      // Without receipts entries are still taken out, only not byte for byte.
      return [];
    }
  }

  async #write(receipts: readonly Receipt[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeWhole(this.#list, `${JSON.stringify(receipts, undefined, 2)}\n`);
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isFor(file: string, client: string, server: string): (receipt: Receipt) => boolean {
  return (receipt) => receipt.file === file && receipt.client === client && receipt.server === server;
}

function isReceipt(value: unknown): value is Receipt {
  return (
    isObject(value) &&
    ['file', 'client', 'server', 'wrote'].every((key) => typeof value[key] === 'string') &&
    Array.isArray(value['created']) &&
    Array.isArray(value['folders'])
  );
}
