import { basename, dirname } from 'node:path';
import type { Range } from 'vscode-languageserver-protocol';
import { fileUriToPath } from '@rootward/core';
import { codeOnly } from '../../documents/code-only.js';
import { findWord, type Place } from '../../documents/find-word.js';
import { isPassedOver } from '../../documents/source-files.js';
import { nameFiles } from '../../documents/unshown.js';
import { LocationFilter } from '../../filter/location-filter.js';
import type { CodeContext } from '../../pool/code-context.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import { whyLeftOut } from '../../projects/left-out.js';
import { definitionTargets, type Spot, type Target } from '../symbols/definition-targets.js';
import { covers } from '../symbols/document-symbols.js';

/** A place that an answer names. */
export interface NamedPlace {
  readonly uri: string;
  readonly range: Range;
}

/** Places where a file says a word in code and the server does not count it, and why. */
export interface Unexplained {
  readonly file: string;
  /** Counted from 1. */
  readonly lines: readonly number[];
  readonly reason: string;
}

/** Places asked about to learn whether they mean another symbol of that name. */
const MAX_CHECKS = 400;
/** No further place is asked about after this long. */
const CHECKING_MS = 3_000;
/** The start of an import, in any of the languages. */
const IMPORT = /^\s*(?:import|from|use|using)\b|^\s*export\s*(?:type\s*)?[{*]|\brequire\s*\(/;
/** Longer lists of imports are rare. */
const MAX_IMPORT_LINES = 60;
/** Files named in a note; the others are counted. */
const MAX_NAMED = 12;
const MAX_LINES = 5;

/** Where a word stands in code, in the files that mention it. Each file is read once as long as it stays the same. */
export class Occurrences {
  readonly #context: CodeContext;
  readonly #instance: ServerInstance;
  readonly #word: string;
  readonly #known = new Map<string, readonly Place[]>();

  constructor(context: CodeContext, instance: ServerInstance, word: string) {
    this.#context = context;
    this.#instance = instance;
    this.#word = word;
  }

  /** The places beside those of an answer, by file. Comments and strings do not count. */
  async beside(
    places: readonly NamedPlace[],
    files: readonly string[],
  ): Promise<ReadonlyMap<string, readonly Place[]>> {
    const filter = new LocationFilter(this.#context.scope);
    const ranges = new Map<string, NamedPlace['range'][]>();
    for (const { uri, range } of places) {
      const file = filter.admit(uri);
      if (file !== undefined) ranges.set(file, [...(ranges.get(file) ?? []), range]);
    }
    const left = new Map<string, readonly Place[]>();
    for (const file of files) {
      const named = ranges.get(file) ?? [];
      const others = (await this.#inCode(file)).filter(
        (place) => !named.some((range) => covers(range, place)),
      );
      if (others.length > 0) left.set(file, others);
    }
    return left;
  }

  async #inCode(file: string): Promise<readonly Place[]> {
    const known = this.#known.get(file);
    if (known !== undefined) return known;
    const { scope, signal } = this.#context;
    let places: readonly Place[] = [];
    try {
      const { text } = await scope.readText(file, signal === undefined ? {} : { signal });
      places = findWord(codeOnly(text, await this.#instance.languageOf(scope, file)), this.#word);
    } catch {
      // The search names files that cannot be read.
      signal?.throwIfAborted();
    }
    this.#known.set(file, places);
    return places;
  }
}

interface Question {
  readonly word: string;
  /** Where the symbol is defined. */
  readonly own: readonly Target[];
  readonly places: readonly NamedPlace[];
  readonly left: ReadonlyMap<string, readonly Place[]>;
}

/** The places that an answer left out, after the server was asked what the word means there. */
export interface Explained {
  /** It means the symbol. */
  readonly uses: readonly NamedPlace[];
  readonly unexplained: readonly Unexplained[];
}

/** Asks a server what the word means at the places that it left out. Those of another symbol are explained. */
export async function explainOccurrences(
  context: CodeContext,
  instance: ServerInstance,
  { word, own, places, left }: Question,
): Promise<Explained> {
  // One that cannot be asked what a word means has been shown all there is.
  if (!instance.capabilities.definitionProvider || left.size === 0) return { uses: [], unexplained: [] };
  const { scope, servers, signal } = context;
  const deadline = servers.clock.now() + CHECKING_MS;
  const ours = new Set(
    places.flatMap(({ uri, range: { start } }) => [`${uri} ${start.line}`, keyOf(uri, start)]),
  );
  const uses: NamedPlace[] = [];
  const unexplained: Unexplained[] = [];
  let checks = 0;
  for (const [file, words] of left) {
    const lines: number[] = [];
    let reason = '';
    const request = { scope, paths: [], further: [file], signal, isSynced: true };
    await instance.withDocuments(request, async ([document]) => {
      for (const place of words) {
        checks += 1;
        const isOver = checks > MAX_CHECKS || servers.clock.now() > deadline;
        const meant =
          isOver || document === undefined
            ? 'unknown'
            : await meaning(context, instance, { document, place }, { ours, own });
        if (meant === 'another') continue;
        if (meant === 'the symbol' && document !== undefined) {
          const end = { line: place.line, character: place.character + word.length };
          uses.push({ uri: document.uri, range: { start: place, end } });
          continue;
        }
        lines.push(place.line + 1);
        if (isOver) reason ||= 'not looked at: there are too many places';
        else if (meant !== 'unknown') reason ||= `resolves to ${meant}`;
      }
    });
    if (lines.length === 0) continue;
    reason ||= await whyLeftOut(scope, instance, file, signal);
    unexplained.push({ file, lines: [...new Set(lines)], reason });
  }
  return { uses, unexplained };
}

interface Known {
  /** The lines and the places of an answer. */
  readonly ours: ReadonlySet<string>;
  /** Where the symbol itself is defined. */
  readonly own: readonly Target[];
}

/** What a word means at a place that an answer left out. */
async function meaning(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  { document, place }: Spot,
  { ours, own }: Known,
): Promise<
  'the symbol' | 'another' | 'a copy among installed packages' | 'a copy outside the roots' | 'unknown'
> {
  let targets: readonly Target[];
  try {
    targets = await definitionTargets(instance, document, place, signal);
  } catch {
    // It may fail for a file that belongs to no project of it.
    signal?.throwIfAborted();
    return 'unknown';
  }
  // A place that the answer names is the symbol, whether it is defined there or only declared.
  const isSymbol = ({ uri, selection: { start } }: Target): boolean =>
    ours.has(keyOf(uri, start)) ||
    own.some((each) => keyOf(each.uri, each.selection.start) === keyOf(uri, start));
  if (targets.some(isSymbol)) return 'the symbol';
  // Where names are linked across files, a declaration of the same name is likely the same symbol.
  const isLinked = ({ uri, selection }: Target): boolean =>
    instance.definition.linksNames === true && uri === document.uri && selection.start.line === place.line;
  const isOurs = targets.some((target) => ours.has(`${target.uri} ${target.selection.start.line}`));
  if (targets.length === 0 || isOurs || targets.some(isLinked)) return 'unknown';
  const isImport = targets.some(
    ({ uri, selection }) => uri === document.uri && isImported(document.text, selection.start.line),
  );
  if (isImport) return 'unknown';
  for (const { uri } of targets.filter((target) => own.some((each) => isCopy(target, each)))) {
    if (new LocationFilter(scope).admit(uri) === undefined) return 'a copy outside the roots';
    if (isInstalled(uri)) return 'a copy among installed packages';
  }
  return 'another';
}

/** Where a symbol is defined, as its server says. */
export async function definitionsOf(
  instance: ServerInstance,
  spots: readonly Spot[],
  signal: AbortSignal | undefined,
): Promise<readonly Target[]> {
  if (!instance.capabilities.definitionProvider) return [];
  for (const { document, place } of spots) {
    const targets = await definitionTargets(instance, document, place, signal);
    if (targets.length > 0) return targets;
  }
  return [];
}

function keyOf(uri: string, { line, character }: Place): string {
  return `${uri} ${line}:${character}`;
}

/** Whether a line belongs to an import, which a server names where it cannot find what is imported. Pure. */
function isImported(text: string, line: number): boolean {
  const lines = text.split(/\r\n|\n|\r/);
  for (let first = line; first >= Math.max(0, line - MAX_IMPORT_LINES); first -= 1) {
    if (!IMPORT.test(lines[first] ?? '')) continue;
    const before = lines.slice(first, line).join('\n');
    return first === line || countOf(before, /[({]/g) > countOf(before, /[)}]/g);
  }
  return false;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** A file of the same name in a folder of the same name, elsewhere: an installed copy of a package, for example. */
function isCopy({ uri }: Target, own: Target): boolean {
  return uri !== own.uri && tailOf(uri) === tailOf(own.uri);
}

function isInstalled(uri: string): boolean {
  return uri.split('/').some((part) => part === 'site-packages' || isPassedOver(part));
}

function tailOf(uri: string): string {
  try {
    const path = fileUriToPath(uri);
    return `${basename(dirname(path))}/${basename(path)}`;
  } catch {
    return uri;
  }
}

/** Notes on places that nothing explains, each file with its reason. */
export function describeUnexplained(
  server: string,
  word: string,
  unexplained: readonly Unexplained[],
): readonly string[] {
  if (unexplained.length === 0) return [];
  const byFile = new Map(unexplained.map((each) => [each.file, each]));
  const remark = (path: string): string => {
    const { lines = [], reason = '' } = byFile.get(path) ?? {};
    const more = lines.length > MAX_LINES ? ' …' : '';
    return ` (line ${lines.slice(0, MAX_LINES).join(', ')}${more}: ${reason})`;
  };
  return [
    `${server} leaves out ${nameFiles([...byFile.keys()], remark, MAX_NAMED)}, where "${word}" stands too`,
  ];
}
