import type { Root } from '@rootward/core';
import type { Diagnostic } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../error.js';
import { sourceFiles } from '../documents/source-files.js';
import type { OpenDocument } from '../documents/documents.js';
import type { PublishedFindings } from '../pool/published-diagnostics.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { chooseRoots } from './asking/choose-roots.js';
import { concealErrors, unreadable } from '../filter/conceal-errors.js';
import { concealLiterals } from '../filter/conceal-literals.js';
import { concealPaths } from '../filter/conceal-paths.js';
import type { CodeContext } from '../pool/code-context.js';
import type { ServerDefinition } from '../servers/definition.js';
import { startOf } from './asking/page.js';
import { isAnyServed, mayAddToAnswer, tooBroad } from './asking/servers-to-ask.js';

/** One finding of a language server. */
export interface FoundDiagnostic {
  /** Lines and columns are counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  readonly source?: string;
  readonly code?: string;
}

/** What `diagnostics` returns: one page. Pass `nextCursor` for the next. */
export interface DiagnosticsResult {
  /** Files with findings only. */
  readonly files: readonly { readonly file: string; readonly diagnostics: readonly FoundDiagnostic[] }[];
  /** How many files were looked at for this page. */
  readonly checked: number;
  /** False when a server did not say anything about a file in time, or there is none for any of the files. */
  readonly complete: boolean;
  readonly notes: readonly string[];
  readonly nextCursor?: string;
}

/** A file, or a root and which page of it. */
export interface DiagnosticsRequest {
  readonly file?: string | undefined;
  readonly root?: string | undefined;
  readonly cursor?: string | undefined;
  /** Restart the language servers first. */
  readonly restart?: boolean | undefined;
}

/** Files checked for one page. */
const FILES_PER_PAGE = 50;
/** A page ends sooner after this long: a server that says nothing of a file is waited for each time. */
const PAGE_MS = 30_000;
/** And once its messages are this long: some compilers spell out types over pages. */
const PAGE_CHARS = 200_000;
const MAX_PER_FILE = 50;
const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;

/** What is wrong in a file, or in all files of a root, a page of files at a time. */
export async function diagnostics(
  context: CodeContext,
  request: DiagnosticsRequest,
): Promise<DiagnosticsResult> {
  const restarted = request.restart === true ? await restart(context, request) : [];
  const result = await look(context, request);
  return { ...result, notes: [...restarted, ...result.notes] };
}

/** Ends the servers for these files, so that they start again: for one whose answers are outdated. */
async function restart(context: CodeContext, { file, root }: DiagnosticsRequest): Promise<readonly string[]> {
  const { servers, scope } = context;
  const folders = file === undefined ? (await chooseRoots(scope, root)).map(({ path }) => path) : undefined;
  const name = file === undefined ? undefined : await servers.nameFor(scope, scope.locate(file).path);
  const ended = await servers.restart({ folders, name });
  return ended.length === 0 ? ['no language server was running'] : [`started anew: ${ended.join(', ')}`];
}

async function look(context: CodeContext, request: DiagnosticsRequest): Promise<DiagnosticsResult> {
  if (request.file !== undefined) {
    const { path } = context.scope.locate(request.file);
    const checked = await checkFile(context, path);
    return { files: nonEmpty([checked]), checked: 1, complete: checked.complete, notes: notesOf([checked]) };
  }
  const roots = await chooseRoots(context.scope, request.root);
  const broad = roots.filter((root) => root.broad);
  const all = await candidates(context, roots);
  const start = startOf(request.cursor, all.length);
  const { clock } = context.servers;
  const deadline = clock.now() + PAGE_MS;
  let end = start;
  const notes = new Set(broad.map(tooBroad));
  const results: Checked[] = [];
  let failed = false;
  let chars = 0;
  for (const file of all.slice(start, start + FILES_PER_PAGE)) {
    if (end > start && (clock.now() >= deadline || chars >= PAGE_CHARS)) break;
    end += 1;
    try {
      const checked = await checkFile(context, file);
      results.push(checked);
      chars += checked.diagnostics.reduce((sum, { message }) => sum + message.length, 0);
    } catch (error) {
      context.signal?.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      // A language without a server is never checked, so asking again does not help.
      failed ||= !(error instanceof RootwardLspError) || mayAddToAnswer(error);
      notes.add(describe(error));
    }
  }
  // As with symbols: where no language at all is served, an empty answer says nothing.
  const isServed = results.length > 0 || all.length === 0 || (await isAnyServed(context.servers, all));
  return {
    files: nonEmpty(results),
    checked: results.length,
    complete: isServed && broad.length === 0 && !failed && results.every(({ complete }) => complete),
    notes: [...notes, ...notesOf(results)],
    ...(end < all.length && { nextCursor: String(end) }),
  };
}

export interface Checked {
  readonly file: string;
  readonly diagnostics: readonly FoundDiagnostic[];
  /** How many there are, shown or not. */
  readonly total: number;
  /** The server has said something of it. */
  readonly isHeard: boolean;
  readonly complete: boolean;
  readonly notes: readonly string[];
}

async function candidates(
  { servers, scope, signal }: CodeContext,
  roots: readonly Root[],
): Promise<string[]> {
  const wanted = (path: string): boolean | Promise<boolean> => servers.isKnown(scope, path);
  const files: string[] = [];
  for await (const { path } of sourceFiles(scope, { roots, wanted, signal })) files.push(path);
  return files.toSorted();
}

/** What is wrong in one file. */
export async function checkFile(context: CodeContext, file: string): Promise<Checked> {
  const { servers, scope, signal } = context;
  const check = (instance: ServerInstance, isLast = false): Promise<Checked> =>
    instance.withDocuments({ scope, paths: [file], signal }, async ([document]) => {
      if (document === undefined) throw new RootwardLspError('symbol-not-found', `Cannot open "${file}"`);
      await instance.readiness.wait(servers.limits.settleTimeout, signal);
      const said = await ask(instance, document, signal);
      // gopls may not look at a file that was opened while it loaded; it does at one that is opened later.
      const isEarly = said?.isAll === false && instance.definition.sendsAll !== undefined;
      if (!isEarly || isLast) return describeFound(context, instance, document, said);
      instance.closeUnless((path) => path !== file);
      return check(instance, true);
    });
  return concealErrors(context, servers.ask(scope, file, check, context));
}

async function describeFound(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  said: PublishedFindings | undefined,
): Promise<Checked> {
  const { path: file, text } = document;
  const found = said?.diagnostics ?? [];
  const conceal = (message: string): string => concealPaths(scope, message, { file, sources: [text] });
  const items = found.slice(0, MAX_PER_FILE);
  const { texts, notes } = await concealLiterals(
    items.map((item) => messageOf(item, instance.definition)),
    { scope, definition: instance.definition, sources: [text], signal },
  );
  return {
    file,
    diagnostics: items.map((item, index) => toFound(item, texts[index] ?? '', conceal)),
    total: found.length,
    isHeard: said !== undefined,
    complete: said?.isAll === true,
    notes: [...notes, ...unfinished(instance.definition, said)],
  };
}

function unfinished({ name }: ServerDefinition, said: PublishedFindings | undefined): readonly string[] {
  if (said?.isAll === true) return [];
  return said === undefined
    ? [`${name} has not said anything yet: ask again`]
    : [`${name} does not tell when it has found everything: there may be more problems`];
}

function toFound(item: Diagnostic, message: string, conceal: (text: string) => string): FoundDiagnostic {
  return {
    line: item.range.start.line + 1,
    column: item.range.start.character + 1,
    severity: SEVERITIES[(item.severity ?? 1) - 1] ?? 'error',
    message: conceal(message),
    ...(item.source !== undefined && { source: conceal(item.source) }),
    ...(item.code !== undefined && { code: conceal(String(item.code)) }),
  };
}

async function ask(
  instance: ServerInstance,
  document: OpenDocument,
  signal: AbortSignal | undefined,
): Promise<PublishedFindings | undefined> {
  if (!instance.answersDiagnostics) return instance.diagnosticsOf(document, signal);
  const params = { textDocument: { uri: document.uri } };
  const report = await instance.request('textDocument/diagnostic', params, signal);
  // It was told of no earlier report that could still hold.
  if (report.kind !== 'full' || !Array.isArray(report.items)) throw unreadable();
  return { diagnostics: report.items, isAll: true };
}

/** Without what depends on the files that the server was shown for other questions. */
function messageOf({ message }: Diagnostic, { hints }: ServerDefinition): string {
  const text = typeof message === 'string' ? message : message.value;
  return hints === undefined ? text : text.replace(hints, '');
}

function notesOf(results: readonly Checked[]): readonly string[] {
  const cut = results
    .filter(({ diagnostics: items, total }) => items.length < total)
    .map(({ file, total }) => `"${file}" has ${total}; the first ${MAX_PER_FILE} are shown`);
  return [...new Set([...results.flatMap(({ notes }) => notes), ...cut])];
}

function nonEmpty(results: readonly Checked[]): DiagnosticsResult['files'] {
  return results
    .filter((result) => result.diagnostics.length > 0)
    .map(({ file, diagnostics: items }) => ({
      file,
      diagnostics: items,
    }));
}

function describe(error: Error): string {
  const instruction = error instanceof RootwardLspError ? error.instruction : undefined;
  return instruction === undefined ? error.message : `${error.message}. ${instruction}`;
}
