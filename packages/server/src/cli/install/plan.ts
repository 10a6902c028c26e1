import { isUtf8 } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';
import { relative, isAbsolute } from 'node:path';
import { isObject } from '@rootward/core/platform';
import { RootwardServerError } from '../../error.js';
import type { InstallScope } from './clients/scopes.js';
import { FormatError, valueAt, type Format, type KeyPath } from './formats/edit.js';
import type { FormatName } from './clients/known-client.js';
import { OWN_FILE_MARK, type Part } from './parts.js';
import { digestOf, type Receipt, type Receipts } from './receipts.js';

/** What a command changes in one file. Undefined text means no file. */
export interface FileChange {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly mode: number | undefined;
  /** Members that were made for the entry. */
  readonly created: readonly KeyPath[];
  readonly receipt: Receipt | undefined;
}

export interface PlanContext {
  readonly client: string;
  readonly server: string;
  readonly scope: InstallScope;
  readonly project: string;
  readonly receipts: Receipts;
}

/** What `install` would write, one change per file. */
export function planInstall(parts: readonly Part[], context: PlanContext): Promise<readonly FileChange[]> {
  return planEach(parts, context, async (current, own, { file }) => {
    let text = current.text;
    const created: KeyPath[] = [...(current.receipt?.created ?? [])];
    for (const part of own) {
      if (part.kind === 'file') {
        if (text !== undefined && !text.slice(0, MARK_WITHIN).includes(OWN_FILE_MARK)) {
          throw cannotEdit(file, 'it is there already, and was not written by this command');
        }
        text = part.text;
        continue;
      }
      const format = await formatOf(part.format);
      if (
        part.insertion.isItem === undefined &&
        !isOurs(valueAt(format.parse(text ?? ''), part.insertion.path), current)
      ) {
        const name = JSON.stringify(part.insertion.path.at(-1));
        throw cannotEdit(file, `its server ${name} starts another program; choose another name with --name`);
      }
      const start =
        text ?? (Object.keys(part.around).length > 0 ? `${JSON.stringify(part.around, undefined, 2)}\n` : '');
      const edited = format.put(start, part.insertion);
      text = edited.text;
      created.push(...edited.created);
    }
    return { after: text, created };
  });
}

/** What `uninstall` would leave. */
export function planUninstall(parts: readonly Part[], context: PlanContext): Promise<readonly FileChange[]> {
  return planEach(parts, context, async (current, own) => {
    const { text, receipt } = current;
    if (text === undefined) return { after: undefined, created: [] };
    if (receipt !== undefined && receipt.wrote === digestOf(text)) {
      if (receipt.before === null) return { after: undefined, created: [] };
      const former = receipt.before === undefined ? undefined : await context.receipts.text(receipt.before);
      if (former !== undefined) return { after: former, created: [] };
    }
    let after: string | undefined = text;
    for (const part of own) {
      if (after === undefined) break;
      if (part.kind === 'file') {
        if (text.slice(0, MARK_WITHIN).includes(OWN_FILE_MARK)) after = undefined;
        continue;
      }
      const format = await formatOf(part.format);
      const found = valueAt(format.parse(after), part.insertion.path);
      if (part.insertion.isItem !== undefined || isOurs(found, current)) {
        after = format.take(after, part.insertion, receipt?.created ?? []);
      }
    }
    return { after, created: [] };
  });
}

interface Current {
  readonly text: string | undefined;
  readonly receipt: Receipt | undefined;
}

type Outcome = Pick<FileChange, 'after' | 'created'>;

/** The mark is in the first line, after what begins a comment. */
const MARK_WITHIN = 80;

async function planEach(
  parts: readonly Part[],
  context: PlanContext,
  work: (current: Current, own: readonly Part[], at: { readonly file: string }) => Promise<Outcome>,
): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  for (const named of new Set(parts.map((part) => part.file))) {
    const own = parts.filter((part) => part.file === named);
    const { file, text, mode } = await readCurrent(named, context);
    const receipt = await context.receipts.find(file, context.client, context.server);
    try {
      const { after, created } = await work({ text, receipt }, own, { file });
      changes.push({ file, before: text, after, mode, created, receipt });
    } catch (error) {
      if (error instanceof FormatError) throw cannotEdit(file, `${error.message}; it is left as it is`);
      throw error;
    }
  }
  return changes;
}

/** Follows links, as people link the files of their home from elsewhere; but no link of a project out of it. */
async function readCurrent(
  named: string,
  { scope, project }: PlanContext,
): Promise<{ readonly file: string; readonly text: string | undefined; readonly mode: number | undefined }> {
  let file;
  try {
    file = await realpath(named);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { file: named, text: undefined, mode: undefined };
    }
    throw error;
  }
  const away = relative(await realpath(project), file);
  if (scope === 'project' && (away.startsWith('..') || isAbsolute(away))) {
    throw cannotEdit(named, `it is a link that leads out of the project, to ${file}`);
  }
  const found = await stat(file);
  if (!found.isFile()) throw cannotEdit(named, 'it is not a regular file');
  if (found.size > MAX_FILE_BYTES) throw cannotEdit(named, `it has more than ${MAX_FILE_BYTES} bytes`);
  const bytes = await readFile(file);
  if (!isUtf8(bytes)) throw cannotEdit(named, 'it is not UTF-8 text');
  return { file, text: bytes.toString('utf8'), mode: found.mode & PERMISSIONS };
}

/** Claude Code keeps its whole state beside its servers, which grows to some megabytes. */
const MAX_FILE_BYTES = 100_000_000;
const PERMISSIONS = 0o7777;

async function formatOf(name: FormatName): Promise<Format> {
  switch (name) {
    case 'json':
      return (await import('./formats/json.js')).JSON_FORMAT;
    case 'toml':
      return (await import('./formats/toml.js')).TOML_FORMAT;
    case 'yaml':
      return (await import('./formats/yaml.js')).YAML_FORMAT;
  }
}

/** An entry that this command wrote, or that starts this program: it may be changed and taken out. */
function isOurs(entry: unknown, { receipt }: Current): boolean {
  if (entry === undefined || receipt !== undefined) return true;
  if (!isObject(entry)) return false;
  return [entry['command'], entry['cmd'], entry['args']]
    .flat(2)
    .some((word) => typeof word === 'string' && /^(?:.*[\\/])?rootward(?:\.cjs|\.cmd)?$/.test(word));
}

function cannotEdit(file: string, reason: string): RootwardServerError {
  return new RootwardServerError('usage', `Cannot edit ${file}: ${reason}`);
}
