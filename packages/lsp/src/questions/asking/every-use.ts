import type { Range } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../../error.js';
import { codeOnly } from '../../documents/code-only.js';
import type { OpenDocument } from '../../documents/documents.js';
import { findWord, type Place } from '../../documents/find-word.js';
import { describeUnshown, nameFiles, type Unshown } from '../../documents/unshown.js';
import { concealErrors } from '../../filter/conceal-errors.js';
import { LocationFilter } from '../../filter/location-filter.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import { definitionTargets, type Spot } from '../symbols/definition-targets.js';
import { locateSymbol, type SymbolRequest } from '../symbols/locate-symbol.js';
import { readSymbol } from '../symbols/symbol-name.js';
import { completeAnswer } from './complete-answer.js';
import { definingFiles } from './defining-files.js';
import type { CodeContext } from '../../pool/code-context.js';
import { loadingNotes } from './loading.js';
import { filesServed, rootsToSearch, settled, type Server, type Shown } from './show-files.js';

/** Files that mention a name, for a server that knows its folders: only those it leaves out are shown to it. */
const MAX_MENTIONS = 2_000;
/** Of those it leaves out, the most that are shown to it. */
const MAX_LEFT_OUT = 200;
/** Places asked about to learn whether they mean another symbol of that name, in all and in one file. */
const MAX_CHECKS = 200;
const MAX_CHECKS_PER_FILE = 3;

/** A place that an answer names. */
interface NamedPlace {
  readonly uri: string;
  readonly range: Range;
}

export interface UsesQuestion<Value> {
  readonly request: SymbolRequest;
  /** The files that may use it, where they are known already. */
  readonly mentions?: MayUse;
  ask(spots: readonly Spot[]): Promise<Value>;
  placesIn(value: Value): readonly NamedPlace[];
}

/** The files that may use a symbol. */
export interface MayUse extends Shown {
  /** There are more than can be shown to a server. */
  readonly tooMany: boolean;
}

/** An answer about all uses of a symbol. */
export interface Uses<Value> {
  readonly value: Value;
  /** Where the symbol stands. */
  readonly spots: readonly Spot[];
  /** Every file that mentions the symbol is in the answer, or means something else. */
  readonly complete: boolean;
  /** Not all files can be shown to the server, now or later. */
  readonly cut: boolean;
  /** Files that mention the symbol, that the answer leaves out, and that nobody has explained. */
  readonly unexplained: readonly string[];
  /** More than one where the server takes definitions of several files for one symbol. */
  readonly definedIn: readonly string[];
  readonly notes: readonly string[];
}

/** The files that may use a symbol: its own, and those with the word in them. */
export async function filesOfUses(
  context: CodeContext,
  server: Server,
  { symbol, file }: SymbolRequest,
): Promise<MayUse> {
  const { path } = context.scope.locate(file);
  const searched = rootsToSearch(context, server, path);
  const options = { whole: true, ...(server.kind !== 'file-driven' && { limit: MAX_MENTIONS }) };
  const mentions = await filesServed(context, server, readSymbol(symbol).name, searched.roots, options);
  const files = [...new Set([path, ...mentions.files])];
  return { ...mentions, files, cut: mentions.cut || searched.cut, tooMany: mentions.cut };
}

/**
 * Asks about all uses of a symbol. The roots are searched for the word: a server may leave out files that its project
 * does not include, or that it has not been shown. Those are shown to it and it is asked again, so that no answer
 * depends on what was asked before; what is then still left out is checked. `use` runs with all these files open.
 */
export async function everyUse<Value extends { readonly length: number }, Result>(
  context: CodeContext,
  instance: ServerInstance,
  question: UsesQuestion<Value>,
  use: (uses: Uses<Value>) => Promise<Result>,
): Promise<Result> {
  const { scope, signal } = context;
  const { path } = scope.locate(question.request.file);
  const word = readSymbol(question.request.symbol).name;
  const mentions = question.mentions ?? (await filesOfUses(context, instance, question.request));
  const others = mentions.files.filter((file) => file !== path);
  const first = instance.kind === 'file-driven' ? others : [];
  const request = { scope, paths: [path], further: first, signal, thorough: true };
  const result = instance.withDocuments(request, async (documents, unopened) => {
    const [document] = documents;
    if (document === undefined) throw new RootwardLspError('symbol-not-found', 'Cannot open the file');
    const worked = await settled(instance, documents, signal);
    const spots = await locateSymbol(context, instance, document, question.request);
    const answer = await completeAnswer(context, instance, () => question.ask(spots));
    const named = namedFiles(context, question.placesIn(answer.value));
    const missing = others.filter((file) => !first.includes(file) && !named.has(file));
    const tooMany = mentions.tooMany || missing.length > MAX_LEFT_OUT;
    const cut = mentions.cut || tooMany;
    const unshown = [...mentions.unshown.filter((file) => file.path !== path), ...unopened];
    const found = { word, spots, documents, worked, cut, tooMany, unshown };
    if (missing.length === 0) return use(await explain(context, instance, question, answer, found));
    const more = { scope, paths: [], further: missing.slice(0, MAX_LEFT_OUT), signal };
    return instance.withDocuments(more, async (shown, closed) => {
      const isDone = await settled(instance, shown, signal);
      const again = await completeAnswer(context, instance, () => question.ask(spots));
      return use(
        await explain(context, instance, question, again, {
          ...found,
          documents: [...documents, ...shown],
          worked: worked && isDone,
          unshown: [...unshown, ...closed],
        }),
      );
    });
  });
  return concealErrors(context, result);
}

interface Found {
  readonly word: string;
  readonly spots: readonly Spot[];
  readonly documents: readonly OpenDocument[];
  readonly worked: boolean;
  readonly cut: boolean;
  readonly tooMany: boolean;
  readonly unshown: readonly Unshown[];
}

async function explain<Value>(
  context: CodeContext,
  instance: ServerInstance,
  question: UsesQuestion<Value>,
  { value, complete }: { readonly value: Value; readonly complete: boolean },
  { word, spots, documents, worked, cut, tooMany, unshown }: Found,
): Promise<Uses<Value>> {
  const places = question.placesIn(value);
  const named = namedFiles(context, places);
  const unexplained = await leftOut(context, instance, { word, documents, places, named });
  const definedIn = await definingFiles(instance, placesByDocument(documents, places), context.signal);
  const { name } = instance.definition;
  const notes = [
    ...(definedIn.length > 1
      ? [`${name} takes "${word}" for one symbol, and it is defined in ${nameFiles(definedIn)}`]
      : []),
    ...(tooMany
      ? [`${name} was shown only some of the files that mention "${word}": there are too many`]
      : []),
    ...describeUnshown(
      name,
      unshown,
      [...named].map((file) => ({ file })),
    ),
    ...(unexplained.length === 0
      ? []
      : [`${name} leaves out ${nameFiles(unexplained)}, where "${word}" stands too`]),
    ...(complete && worked ? [] : loadingNotes(instance)),
  ];
  const isComplete = complete && worked && !cut && notes.length === 0;
  return { value, spots, complete: isComplete, cut, unexplained, definedIn, notes };
}

function placesByDocument(
  documents: readonly OpenDocument[],
  places: readonly NamedPlace[],
): ReadonlyMap<OpenDocument, readonly Place[]> {
  const byUri = new Map<string, Place[]>(documents.map(({ uri }) => [uri, []]));
  for (const { uri, range } of places) byUri.get(uri)?.push(range.start);
  return new Map(documents.map((document) => [document, byUri.get(document.uri) ?? []]));
}

interface LeftOut {
  readonly word: string;
  readonly documents: readonly OpenDocument[];
  readonly places: readonly NamedPlace[];
  readonly named: ReadonlySet<string>;
}

/** Files that say the word in code, and not of another symbol as far as the server knows. */
async function leftOut(
  context: CodeContext,
  instance: ServerInstance,
  { word, documents, places, named }: LeftOut,
): Promise<readonly string[]> {
  // One that cannot be asked what a word means has been shown all there is.
  if (!instance.capabilities.definitionProvider) return [];
  const ours = new Set(places.map(({ uri, range }) => `${uri} ${range.start.line}`));
  const left: string[] = [];
  let checks = 0;
  for (const document of documents) {
    if (named.has(document.path)) continue;
    const words = findWord(codeOnly(document.text, document.languageId), word);
    checks += Math.min(words.length, MAX_CHECKS_PER_FILE);
    const isChecked = checks <= MAX_CHECKS;
    const meant = words.slice(0, MAX_CHECKS_PER_FILE);
    if (words.length > 0 && !(isChecked && (await areOthers(context, instance, document, meant, ours))))
      left.push(document.path);
  }
  return left;
}

async function areOthers(
  { signal }: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  words: readonly Place[],
  ours: ReadonlySet<string>,
): Promise<boolean> {
  for (const place of words) {
    const targets = await definitionTargets(instance, document, place, signal);
    // Where names are linked across files, a declaration of the same name is likely the same symbol.
    const isLinked = ({ uri, selection }: { readonly uri: string; readonly selection: Range }): boolean =>
      instance.definition.body !== undefined && uri === document.uri && selection.start.line === place.line;
    const isOurs = targets.some((target) => ours.has(`${target.uri} ${target.selection.start.line}`));
    if (targets.length === 0 || isOurs || targets.some(isLinked)) return false;
  }
  return true;
}

function namedFiles({ scope }: CodeContext, places: readonly NamedPlace[]): ReadonlySet<string> {
  const filter = new LocationFilter(scope);
  return new Set(places.flatMap(({ uri }) => filter.admit(uri) ?? []));
}
