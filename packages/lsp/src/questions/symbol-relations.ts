import type { Location } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../error.js';
import type { OpenDocument } from '../documents/documents.js';
import { findWord, type Place } from '../documents/find-word.js';
import { describeUnshown, type Unshown } from '../documents/unshown.js';
import { concealErrors } from '../filter/conceal-errors.js';
import { concealPaths, MAX_NAME_CHARS } from '../filter/conceal-paths.js';
import { LocationFilter } from '../filter/location-filter.js';
import type { CodeContext } from '../pool/code-context.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { everyUse, type UsesQuestion } from './asking/every-use.js';
import { calls, hierarchy, targets, type Found } from './asking/hierarchies.js';
import { loadingNotes } from './asking/loading.js';
import { filesServed, rootsToSearch, settled, type Shown } from './asking/show-files.js';
import { firstAnswered, withLocations } from './references.js';
import { definitionTargets, type Spot } from './symbols/definition-targets.js';
import { covers, declaredAt, documentSymbols, enclosing } from './symbols/document-symbols.js';
import type { PlacedSymbol } from './symbols/document-symbols.js';
import { headOf, namesInHead, typesAt } from './symbols/inherited-member.js';
import { locateSymbol, type SymbolRequest } from './symbols/locate-symbol.js';
import { readSymbol, serverName } from './symbols/symbol-name.js';

/** How another symbol may be related to the one that is asked about. */
export type RelationKind =
  | 'implementations'
  | 'callers'
  | 'callees'
  | 'supertypes'
  | 'subtypes'
  | 'type_definition';

/** A symbol and what is asked about it. */
export interface RelationsRequest extends SymbolRequest {
  readonly kind: RelationKind;
}

/** A symbol that is related to the one that was asked about. */
export interface RelatedSymbol {
  readonly file: string;
  readonly name: string;
  readonly kind: string;
  /** Counted from 1. */
  readonly line: number;
  /** What it is in. */
  readonly container?: string;
  /** Of callers: the lines of the calls. */
  readonly at?: readonly number[];
}

/** What `symbolRelations` returns. */
export interface RelationsResult {
  readonly symbol: string;
  readonly kind: RelationKind;
  readonly related: readonly RelatedSymbol[];
  /** Related symbols that lie outside the roots. */
  readonly outside: number;
  readonly complete: boolean;
  readonly notes: readonly string[];
}

/** Symbols before they are checked by the scope, and whether these are all. */
interface Answer {
  readonly found: readonly Found[];
  readonly complete: boolean;
  readonly notes: readonly string[];
}

const MAX_RELATED = 200;
/** What is related in these ways may be in any file that mentions the symbol. */
const ANYWHERE: ReadonlySet<RelationKind> = new Set(['implementations', 'callers', 'subtypes']);
const TYPES: ReadonlySet<string> = new Set(['class', 'interface', 'struct', 'enum', 'object']);

/** What implements, calls, is called by, extends or is extended by a symbol, or its type. */
export async function symbolRelations(
  context: CodeContext,
  request: RelationsRequest,
): Promise<RelationsResult> {
  const { servers, scope } = context;
  const asked = async (instance: ServerInstance): Promise<RelationsResult> => {
    // A server may leave out files that its project does not include, unless they are open.
    const { path } = scope.locate(request.file);
    const searched = rootsToSearch(context, instance, path);
    const { name } = readSymbol(request.symbol);
    const shown = await filesServed(context, instance, name, searched.roots, { whole: true });
    return relations(context, instance, { ...shown, cut: shown.cut || searched.cut }, request);
  };
  return servers.ask(scope, request.file, asked, { ...context, thorough: true });
}

async function relations(
  context: CodeContext,
  instance: ServerInstance,
  shown: Shown,
  request: RelationsRequest,
): Promise<RelationsResult> {
  const { servers, scope, signal } = context;
  const { path } = scope.locate(request.file);
  const further = instance.index === undefined ? shown.files.filter((file) => file !== path) : [];
  const documents = { scope, paths: [path], further, signal, thorough: true };
  const answer = instance.withDocuments(documents, async (opened, unopened) => {
    const [document] = opened;
    if (document === undefined) throw new RootwardLspError('symbol-not-found', 'Cannot open the file');
    const worked = await settled(instance, opened, signal);
    await instance.readiness.wait(servers.limits.settleTimeout, signal);
    const spots = await locateSymbol(context, instance, document, request);
    await requireSymbol(context, instance, spots, request);
    const { found, complete, notes } = await ask(context, instance, request, spots);
    const whole = { found, complete: complete && worked && !shown.cut, notes };
    const unshown = [...shown.unshown.filter((file) => file.path !== path), ...unopened];
    return describe(context, instance, request, whole, ANYWHERE.has(request.kind) ? unshown : []);
  });
  return concealErrors(context, answer);
}

/** Rejects where a name stands in comments and strings only, or is not a symbol to the server. */
async function requireSymbol(
  { signal }: CodeContext,
  instance: ServerInstance,
  spots: readonly Spot[],
  { symbol, file }: RelationsRequest,
): Promise<void> {
  for (const { document, place } of spots) {
    const own = declaredAt(await documentSymbols(instance, document, signal), place);
    if (own !== undefined && covers(own.symbol.selection, place)) return;
    if (!instance.capabilities.definitionProvider) return;
    if ((await definitionTargets(instance, document, place, signal)).length > 0) return;
  }
  const { name } = readSymbol(symbol);
  const isInCode = spots.some(({ document }) => findWord(instance.facts.codeOf(document), name).length > 0);
  throw new RootwardLspError(
    'symbol-not-found',
    isInCode
      ? `Cannot find "${symbol}": ${instance.definition.name} knows no symbol of that name in "${file}"`
      : `Cannot find "${symbol}": no symbol of that name is in "${file}", which mentions it in comments or strings`,
    { instruction: 'Call find_symbol to learn which file has it' },
  );
}

async function ask(
  context: CodeContext,
  instance: ServerInstance,
  request: RelationsRequest,
  spots: readonly Spot[],
): Promise<Answer> {
  const { capabilities } = instance;
  switch (request.kind) {
    case 'type_definition':
      if (!capabilities.typeDefinitionProvider) throw unsupported(instance, 'types');
      return all(targets(context, instance, 'textDocument/typeDefinition', spots));
    case 'implementations':
      if (capabilities.implementationProvider)
        return proved(context, instance, request, () =>
          targets(context, instance, 'textDocument/implementation', spots),
        );
      return overriding(context, instance, request, spots);
    case 'callers':
      return callers(context, instance, request, spots);
    case 'callees':
      if (!capabilities.callHierarchyProvider) throw unsupported(instance, 'calls');
      return all(calls(context, instance, spots, 'outgoing'));
    case 'supertypes':
      if (capabilities.typeHierarchyProvider) return all(hierarchy(context, instance, spots, 'supertypes'));
      return all(supertypes(context, instance, spots));
    case 'subtypes':
      if (capabilities.typeHierarchyProvider)
        return proved(context, instance, request, () => hierarchy(context, instance, spots, 'subtypes'));
      return subtypes(context, instance, request);
  }
}

/** What a server was asked for itself, of all that it was shown. */
async function all(found: Promise<readonly Found[]>): Promise<Answer> {
  return { found: await found, complete: true, notes: [] };
}

/** An answer of the server itself, complete only where every place that mentions the symbol is a use or explained. */
async function proved(
  context: CodeContext,
  instance: ServerInstance,
  request: RelationsRequest,
  find: () => Promise<readonly Found[]>,
): Promise<Answer> {
  if (!instance.capabilities.referencesProvider) {
    const note = `${instance.definition.name} does not offer the uses of a symbol, so nothing shows that these are all`;
    return { found: await find(), complete: false, notes: [note] };
  }
  const question = usesQuestion(context, instance, request);
  return everyUse(context, instance, question, async ({ complete, notes }) => ({
    found: await find(),
    complete,
    notes,
  }));
}

function unsupported({ definition }: ServerInstance, what: string): RootwardLspError {
  return new RootwardLspError('unsupported', `Cannot find ${what}: ${definition.name} does not offer it`);
}

/** The types named in the head of a type, for servers without a hierarchy. */
async function supertypes(
  context: CodeContext,
  instance: ServerInstance,
  spots: readonly Spot[],
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const { document, place } of spots.slice(0, 1)) {
    const type = declaredAt(await documentSymbols(instance, document, context.signal), place);
    if (type === undefined) continue;
    for (const name of namesInHead(document.text, type.symbol)) {
      const types = await typesAt(context, instance, { document, place: name });
      found.push(...types.map((each) => ({ uri: each.document.uri, place: each.type.selection.start })));
    }
  }
  return found;
}

/** The types in whose head a type is named, for servers without a hierarchy. */
async function subtypes(
  context: CodeContext,
  instance: ServerInstance,
  request: RelationsRequest,
): Promise<Answer> {
  return usesBy(context, instance, request, ({ symbol }, place, document) => {
    if (!TYPES.has(symbol.kind) || covers(symbol.selection, place)) return undefined;
    return covers(headOf(document.text, symbol), place) ? symbol.selection.start : undefined;
  });
}

/** Members of the same name in the types that extend the one around a member, or those types themselves. */
async function overriding(
  context: CodeContext,
  instance: ServerInstance,
  request: RelationsRequest,
  spots: readonly Spot[],
): Promise<Answer> {
  const [spot] = spots;
  if (spot === undefined) return { found: [], complete: true, notes: [] };
  const symbols = await documentSymbols(instance, spot.document, context.signal);
  const own = declaredAt(symbols, spot.place);
  const owner = own?.containers.at(-1);
  if (own === undefined || TYPES.has(own.symbol.kind) || owner === undefined) {
    return subtypes(context, instance, request);
  }
  const { found: types, ...rest } = await subtypes(context, instance, {
    ...request,
    symbol: owner,
    line: undefined,
  });
  const found: Found[] = [];
  const filter = new LocationFilter(context.scope);
  for (const { uri, place } of types) {
    const file = filter.admit(uri);
    if (file === undefined) continue;
    const further = { scope: context.scope, paths: [], further: [file], signal: context.signal };
    await instance.withDocuments(further, async ([document]) => {
      if (document === undefined) return;
      const type = declaredAt(await documentSymbols(instance, document, context.signal), place);
      const member = type?.symbol.children.find((child) => serverName(child.name).name === own.name);
      if (member !== undefined) found.push({ uri: document.uri, place: member.selection.start });
    });
  }
  return { ...rest, found };
}

/**
 * Who calls a symbol, as the server says; and in files it does not look at for calls, or where it knows none, the
 * functions that uses stand in. One that links names across files takes a caller of a common name for another.
 */
async function callers(
  context: CodeContext,
  instance: ServerInstance,
  request: RelationsRequest,
  spots: readonly Spot[],
): Promise<Answer> {
  const isAsked = instance.capabilities.callHierarchyProvider && instance.definition.linksNames !== true;
  const known = isAsked ? await calls(context, instance, spots, 'incoming') : [];
  const files = new Set(known.map(({ uri }) => uri));
  const { found: uses, ...rest } = await usesBy(context, instance, request, ({ symbol }, place) =>
    covers(symbol.selection, place) ? undefined : symbol.selection.start,
  );
  const own = new Set(isAsked ? spots.map(({ document }) => document.uri) : []);
  return { ...rest, found: [...known, ...uses.filter(({ uri }) => !files.has(uri) && !own.has(uri))] };
}

type Choose = (container: PlacedSymbol, use: Place, document: OpenDocument) => Place | undefined;

/** The symbols that contain the uses of a symbol, as `choose` picks them. */
async function usesBy(
  context: CodeContext,
  instance: ServerInstance,
  request: RelationsRequest,
  choose: Choose,
): Promise<Answer> {
  const { scope, signal } = context;
  return everyUse(
    context,
    instance,
    usesQuestion(context, instance, request),
    async ({ value, complete, notes }) => {
      const filter = new LocationFilter(scope);
      const found = new Map<string, Found & { at: number[] }>();
      for (const { uri, range } of value) {
        const file = filter.admit(uri);
        if (file === undefined) continue;
        const further = { scope, paths: [], further: [file], signal };
        await instance.withDocuments(further, async ([document]) => {
          if (document === undefined) return;
          const container = enclosing(await documentSymbols(instance, document, signal), range.start);
          const place = container === undefined ? undefined : choose(container, range.start, document);
          if (place === undefined) return;
          const key = `${file}\n${place.line}`;
          const known = found.get(key) ?? { uri: document.uri, place, at: [] };
          known.at.push(range.start.line + 1);
          found.set(key, known);
        });
      }
      return { found: [...found.values()], complete, notes };
    },
  );
}

function usesQuestion(
  { signal }: CodeContext,
  instance: ServerInstance,
  request: RelationsRequest,
): UsesQuestion<readonly Location[]> {
  return {
    request,
    ask: (spots) => firstAnswered(instance, spots, signal),
    placesIn: (locations) => locations,
    withUses: withLocations,
  };
}

/** In scope, each once, with the names that the document gives them. */
async function describe(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  { symbol, kind }: RelationsRequest,
  { found, complete, notes: known }: Answer,
  unshown: readonly Unshown[],
): Promise<RelationsResult> {
  const filter = new LocationFilter(scope);
  const related = new Map<string, RelatedSymbol>();
  for (const each of found) {
    const file = filter.admit(each.uri);
    const key = `${file ?? ''}\n${each.place.line}\n${each.place.character}`;
    if (file === undefined || related.has(key) || related.size >= MAX_RELATED) continue;
    const further = { scope, paths: [], further: [file], signal };
    const named = await instance.withDocuments(further, async ([document]) => {
      const symbols = document === undefined ? [] : await documentSymbols(instance, document, signal);
      return declaredAt(symbols, each.place) ?? enclosing(symbols, each.place);
    });
    const conceal = (name: string): string => concealPaths(scope, name, { file, maxChars: MAX_NAME_CHARS });
    const container = named?.containers.join('.') ?? '';
    related.set(key, {
      file,
      name: conceal(each.name ?? named?.name ?? symbol),
      kind: each.kind ?? named?.symbol.kind ?? 'symbol',
      line: each.place.line + 1,
      ...(container !== '' && { container: conceal(container) }),
      ...(each.at !== undefined && { at: each.at }),
    });
  }
  const sorted = [...related.values()].toSorted(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line,
  );
  const notes = new Set([
    ...loadingNotes(instance),
    ...known,
    ...describeUnshown(instance.definition.name, unshown, sorted),
    ...(found.length > MAX_RELATED ? [`${found.length} were found; ${MAX_RELATED} are listed`] : []),
  ]);
  const isComplete = complete && notes.size === 0;
  return { symbol, kind, related: sorted, outside: filter.outside, complete: isComplete, notes: [...notes] };
}
