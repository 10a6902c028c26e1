import { RootwardLspError } from '../../error.js';
import { describeUnshown, nameFiles, type Unshown } from '../../documents/unshown.js';
import { concealErrors } from '../../filter/conceal-errors.js';
import { LocationFilter } from '../../filter/location-filter.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import type { Spot } from '../symbols/definition-targets.js';
import { locateSymbol, type SymbolRequest } from '../symbols/locate-symbol.js';
import { readSymbol } from '../symbols/symbol-name.js';
import { completeAnswer } from './complete-answer.js';
import { linkedDefinitions } from './definitions.js';
import type { CodeContext } from '../../pool/code-context.js';
import { guessNotes, loadingNotes } from './loading.js';
import { usesInOtherFolders } from './other-folders.js';
import {
  definitionsOf,
  describeUnexplained,
  explainOccurrences,
  Occurrences,
  type NamedPlace,
  type Unexplained,
} from './occurrences.js';
import { filesServed, rootsToSearch, settled, type Server, type Shown } from './show-files.js';

/** Files that mention a name, for a server that knows its folders: only those it leaves out are shown to it. */
const MAX_MENTIONS = 2_000;
/** Of those it leaves out, the most that are shown to it. */
const MAX_LEFT_OUT = 200;

export interface UsesQuestion<Value> {
  readonly request: SymbolRequest;
  ask(spots: readonly Spot[]): Promise<Value>;
  placesIn(value: Value): readonly NamedPlace[];
  /** Adds uses that the server only knows when it is asked about them; absent where it has to know them itself. */
  withUses?(value: Value, uses: readonly NamedPlace[]): Value;
}

/** The files that may use a symbol. */
interface MayUse extends Shown {
  /** There are more than can be shown to a server. */
  readonly tooMany: boolean;
}

/** An answer about all uses of a symbol. */
export interface Uses<Value> {
  readonly value: Value;
  /** Where the symbol stands. */
  readonly spots: readonly Spot[];
  /** Every place that mentions the symbol is in the answer, or means something else. */
  readonly complete: boolean;
  /** Not all files can be shown to the server, now or later. */
  readonly cut: boolean;
  /** Places that mention the symbol, that the answer leaves out, and that nothing explains. */
  readonly unexplained: readonly Unexplained[];
  /** More than one where the server takes definitions of several files for one symbol. */
  readonly definedIn: readonly string[];
  readonly notes: readonly string[];
}

/** Finds the files that may use a symbol: its own, and those with the word in them. */
async function filesOfUses(
  context: CodeContext,
  server: Server,
  { symbol, file }: SymbolRequest,
): Promise<MayUse> {
  const { path } = context.scope.locate(file);
  const searched = rootsToSearch(context, server, path);
  const options = { whole: true, ...(server.knowsFiles && { limit: MAX_MENTIONS }) };
  const mentions = await filesServed(context, server, readSymbol(symbol).name, searched.roots, options);
  const files = [...new Set([path, ...mentions.files])];
  return { ...mentions, files, cut: mentions.cut || searched.cut, tooMany: mentions.cut };
}

/**
 * Asks about all uses of a symbol, and compares the answer with where the word stands in the files of the roots. A
 * server may leave out files that its project does not include, or that it has not been shown. Those are shown to it
 * and it is asked again, so that no answer depends on what was asked before. Each place that is still left out is then
 * explained, or named. `use` runs with all these files open.
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
  const mentions = await filesOfUses(context, instance, question.request);
  const others = mentions.files.filter((file) => file !== path);
  const first = instance.knowsFiles ? [] : others;
  const request = { scope, paths: [path], further: first, signal, thorough: true };
  const occurrences = new Occurrences(context, instance, word);
  const result = instance.withDocuments(request, async (documents, unopened) => {
    const [document] = documents;
    if (document === undefined) throw new RootwardLspError('symbol-not-found', 'Cannot open the file');
    const worked = await settled(instance, documents, signal);
    const spots = await locateSymbol(context, instance, document, question.request);
    const answer = await completeAnswer(context, instance, () => question.ask(spots));
    const left = await occurrences.beside(question.placesIn(answer.value), mentions.files);
    const missing = [...left.keys()].filter((file) => file !== path && !first.includes(file));
    const tooMany = mentions.tooMany || missing.length > MAX_LEFT_OUT;
    const unshown = [...mentions.unshown.filter((file) => file.path !== path), ...unopened];
    const found = {
      word,
      spots,
      worked,
      cut: mentions.cut || tooMany,
      tooMany,
      unshown,
      mentions: mentions.files,
    };
    const explained = (value: Answered<Value>, more: Partial<Found> = {}): Promise<Uses<Value>> =>
      explain(context, instance, question, value, occurrences, { ...found, ...more });
    if (missing.length === 0) return use(await explained(answer));
    const more = { scope, paths: [], further: missing.slice(0, MAX_LEFT_OUT), signal };
    return instance.withDocuments(more, async (shown, closed) => {
      const isDone = await settled(instance, shown, signal);
      const again = await completeAnswer(context, instance, () => question.ask(spots));
      return use(await explained(again, { worked: worked && isDone, unshown: [...unshown, ...closed] }));
    });
  });
  return concealErrors(context, result);
}

interface Answered<Value> {
  readonly value: Value;
  readonly complete: boolean;
}

interface Found {
  readonly word: string;
  readonly spots: readonly Spot[];
  readonly worked: boolean;
  readonly cut: boolean;
  readonly tooMany: boolean;
  readonly unshown: readonly Unshown[];
  readonly mentions: readonly string[];
}

async function explain<Value>(
  context: CodeContext,
  instance: ServerInstance,
  question: UsesQuestion<Value>,
  { value, complete }: Answered<Value>,
  occurrences: Occurrences,
  { word, spots, worked, cut, tooMany, unshown, mentions }: Found,
): Promise<Uses<Value>> {
  const places = question.placesIn(value);
  const named = namedFiles(context, places);
  const left = await occurrences.beside(places, mentions);
  const own = await definitionsOf(instance, spots, context.signal);
  const explained = await explainOccurrences(context, instance, { word, own, places, left });
  const elsewhere = await usesInOtherFolders(context, instance, { word, own, places });
  const more = [...explained.uses, ...elsewhere.uses];
  const all = question.withUses?.(value, more) ?? value;
  const unexplained = [
    ...(question.withUses === undefined ? asUnlisted(context, instance, more) : []),
    ...explained.unexplained,
    ...elsewhere.unexplained,
  ];
  const [spot] = spots;
  const definitions = spot === undefined ? [] : await linkedDefinitions(context, instance, spot);
  const definedIn = [...new Set(definitions.map(({ file }) => file))].toSorted();
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
    ...describeUnexplained(name, word, unexplained),
    ...elsewhere.notes,
    ...guessNotes(instance, mentions),
    ...(complete && worked ? [] : loadingNotes(instance)),
  ];
  const isComplete = complete && worked && !cut && notes.length === 0;
  return { value: all, spots, complete: isComplete, cut, unexplained, definedIn, notes };
}

/** Uses that a server leaves out of an answer and knows when it is asked about them. */
function asUnlisted(
  { scope }: CodeContext,
  { definition }: ServerInstance,
  uses: readonly NamedPlace[],
): readonly Unexplained[] {
  const filter = new LocationFilter(scope);
  const byFile = new Map<string, number[]>();
  for (const { uri, range } of uses) {
    const file = filter.admit(uri);
    if (file !== undefined) byFile.set(file, [...(byFile.get(file) ?? []), range.start.line + 1]);
  }
  const reason = `a use that ${definition.name} leaves as it is`;
  return [...byFile].map(([file, lines]) => ({ file, lines: [...new Set(lines)], reason }));
}

function namedFiles({ scope }: CodeContext, places: readonly NamedPlace[]): ReadonlySet<string> {
  const filter = new LocationFilter(scope);
  return new Set(places.flatMap(({ uri }) => filter.admit(uri) ?? []));
}
