import { codeOnly } from '../../documents/code-only.js';
import type { OpenDocument } from '../../documents/documents.js';
import type { DeclarationFacts } from '../../documents/document-facts.js';
import { linesBetween, type Place } from '../../documents/find-word.js';
import { LocationFilter } from '../../filter/location-filter.js';
import type { CodeContext } from '../../pool/code-context.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import type { Spot, Target } from '../symbols/definition-targets.js';
import {
  covers,
  declaredAt,
  documentSymbols,
  placed,
  type PlacedSymbol,
} from '../symbols/document-symbols.js';
import {
  definesWithBody,
  isNeverElsewhere,
  isOnlyDeclared,
  isStatic,
  mayDefine,
  namedByMacro,
} from '../symbols/may-define.js';
import { filesServed, rootsToSearch, settled, type Server, type Shown } from './show-files.js';

/** The language whose functions are linked by their name alone; all code of the server is read as this one. */
const LINKED = 'c';
/** What may be of either language. */
const HEADER = /\.h$/i;
/** What is usually included. */
const INCLUDED = /\.(?:h|hh|hpp|hxx|inc|inl|ipp|tcc|def)$/i;

/** What a server says of a symbol. */
export interface LinkedAnswer {
  readonly spot: Spot;
  readonly targets: readonly Target[];
}

/** What is asked about. */
export interface LinkedName {
  readonly path: string;
  readonly word: string;
}

/** Where a name is defined; or, where only a process that was shown no other files can tell, what to show it. */
export type Linked = LinkedAnswer | { readonly toShow: Shown };

/**
 * Where a name is defined, for a server that links names across files. It knows the files it was shown, so what it says
 * of others depends on the questions before. What stands in the file or in what that includes is certain. For the rest,
 * the files that look as if they defined the name are shown to it, and its answer holds where no other file can be
 * meant.
 */
export async function linkedDefinition(
  context: CodeContext,
  instance: ServerInstance,
  name: LinkedName,
  ask: () => Promise<LinkedAnswer>,
): Promise<Linked> {
  const { scope, signal } = context;
  const { word } = name;
  const before = instance.published.versions;
  const answer = await ask();
  const known = await describeTargets(context, instance, answer, word);
  if (known.length > 0 && known.every(({ isCertain }) => isCertain)) return answer;
  const [owner] = known.flatMap((each) => each.owner ?? []);
  const toShow = await filesThatMayDefine(context, instance, name, owner);
  const request = { scope, paths: [], further: toShow.files, signal, isSynced: true };
  return instance.withDocuments(request, async (documents) => {
    await settled(instance, documents, signal);
    // It answers the same where it had worked through all of them.
    const isSeen = documents.every(({ path, version }) => before.get(path) === version);
    const again = isSeen ? answer : await ask();
    const isSame = JSON.stringify(again.targets) === JSON.stringify(answer.targets);
    const targets = isSame ? known : await describeTargets(context, instance, again, word);
    if (targets.some(({ isFunctionOfC }) => isFunctionOfC)) {
      const linked = await definitionsInC(instance, documents, name, signal);
      if (linked.length > 0) return { ...again, targets: linked };
    }
    const { defined, made } = await definedIn(instance, documents, name, owner, signal);
    // What a file makes of another one is in none of its symbols, and the server soon forgets it.
    const isMade = ({ file, isDeclaration }: DescribedTarget): boolean =>
      isDeclaration ||
      documents.some(({ path, uri }) => path === file && made.some((each) => each.uri === uri));
    if (defined.size === 0 && made.length > 0 && targets.length > 0 && targets.every(isMade))
      return { ...again, targets: made };
    const isSettled = ({ file, isCertain, isDeclaration }: DescribedTarget): boolean =>
      isCertain || (isDeclaration ? defined.size === 0 : made.length === 0 && isOnly(defined, file));
    return targets.length > 0 && targets.every(isSettled) ? again : { toShow };
  });
}

function isOnly(files: ReadonlySet<string>, file: string | undefined): boolean {
  return file !== undefined && files.size === 1 && files.has(file);
}

interface DescribedTarget {
  readonly file: string | undefined;
  /** It stands in the file that is asked about or in what that includes, and is a definition. */
  readonly isCertain: boolean;
  /** It may be defined elsewhere. */
  readonly isDeclaration: boolean;
  /** It is known to all files, by its name alone. */
  readonly isFunctionOfC: boolean;
  /** The type that it is a member of. */
  readonly owner: string | undefined;
}

async function describeTargets(
  context: CodeContext,
  instance: ServerInstance,
  { spot: { document }, targets }: LinkedAnswer,
  word: string,
): Promise<readonly DescribedTarget[]> {
  const filter = new LocationFilter(context.scope);
  const described: DescribedTarget[] = [];
  for (const { uri, selection } of targets) {
    const file = filter.admit(uri);
    described.push(
      file === undefined
        ? { file, isCertain: true, isDeclaration: false, isFunctionOfC: false, owner: undefined }
        : await describeTarget(context, instance, document, { file, selection }, word),
    );
  }
  return described;
}

interface Found {
  readonly file: string;
  readonly selection: Target['selection'];
}

async function describeTarget(
  context: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  found: Found,
  word: string,
): Promise<DescribedTarget> {
  const { scope, signal } = context;
  const { file } = found;
  if (file === document.path) return describeIn(context, instance, document, found, word, document);
  const request = { scope, paths: [], further: [file], signal, isSynced: true };
  return instance.withDocuments(request, async ([target]) =>
    target === undefined
      ? { file, isCertain: false, isDeclaration: false, isFunctionOfC: false, owner: undefined }
      : describeIn(context, instance, document, found, word, target),
  );
}

async function describeIn(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  { file, selection: { start } }: Found,
  word: string,
  target: OpenDocument,
): Promise<DescribedTarget> {
  const {
    isLinked,
    isNeverElsewhere: isFixed,
    ...facts
  } = await instance.facts.declared(target, { ...start, word }, () =>
    declarationAt(instance, target, start, word, signal),
  );
  const isCertain =
    !facts.isDeclaration &&
    (file === document.path ||
      isFixed ||
      (INCLUDED.test(file) && (await instance.facts.includes(scope, document, file, signal))));
  const isC = document.languageId === LINKED || HEADER.test(document.path);
  return { file, ...facts, isCertain, isFunctionOfC: isC && isLinked };
}

async function declarationAt(
  instance: ServerInstance,
  document: OpenDocument,
  start: Place,
  word: string,
  signal: AbortSignal | undefined,
): Promise<DeclarationFacts> {
  const code = instance.facts.codeOf(document);
  const declared = declaredAt(await documentSymbols(instance, document, signal), start);
  const isNamed = declared !== undefined && covers(declared.symbol.selection, start);
  const owner = isNamed ? qualified(declared).owner : undefined;
  const line = linesBetween(code, start.line, start.line);
  const isCalled = /^\s*\(/.test(line.slice(start.character + word.length)) && !/^\s*#/.test(line);
  return {
    isDeclaration: isOnlyDeclared(code, start, word, owner !== undefined),
    isNeverElsewhere: isNeverElsewhere(code, start),
    isLinked: isCalled && owner === undefined && !isStatic(code, start),
    owner,
  };
}

/** The files that look as if they define a name, beside one; of a member, those that name its type. */
async function filesThatMayDefine(
  context: CodeContext,
  server: Server,
  { path, word }: LinkedName,
  owner: string | undefined,
): Promise<Shown> {
  const { servers, scope } = context;
  const { roots, cut } = rootsToSearch(context, server, path);
  const such = (text: string): boolean =>
    (owner === undefined || text.includes(owner)) && mayDefine(codeOnly(text, LINKED), word);
  const key = [server.definition.name, word, owner ?? '', ...roots.map((root) => root.path)].join('\n');
  const defining = await servers.resting.get(key, () =>
    filesServed(context, server, word, roots, { whole: true, such }),
  );
  const files = defining.files.filter((file) => file !== path && scope.contains(file));
  return { ...defining, files, cut: cut || defining.cut };
}

interface DefinedIn {
  /** Files with a symbol of that name that is more than a declaration. */
  readonly defined: ReadonlySet<string>;
  /** Where macros of sources may give the name, nearest first. */
  readonly made: readonly Target[];
}

/** Of the files that look as if they define a name those that do, as far as their symbols and their macros tell. */
async function definedIn(
  instance: ServerInstance,
  documents: readonly OpenDocument[],
  { path, word }: LinkedName,
  owner: string | undefined,
  signal: AbortSignal | undefined,
): Promise<DefinedIn> {
  const defined = new Set<string>();
  const made: { readonly path: string; readonly target: Target }[] = [];
  for (const document of documents) {
    const code = instance.facts.codeOf(document);
    const isDefined = [...placed(await documentSymbols(instance, document, signal))].some((each) => {
      const named = qualified(each);
      if (named.name !== word || named.owner !== owner) return false;
      return !isOnlyDeclared(code, each.symbol.selection.start, word, owner !== undefined);
    });
    if (isDefined) defined.add(document.path);
    const start = isDefined || INCLUDED.test(document.path) ? undefined : namedByMacro(code, word);
    if (start === undefined) continue;
    const end = { line: start.line, character: start.character + word.length };
    const target = { uri: document.uri, selection: { start, end }, range: undefined };
    made.push({ path: document.path, target });
  }
  return { defined, made: nearestFirst(made, path) };
}

/** The plain name of a symbol, and of what it is in. What is defined outside of its type is called `Cart::total`. */
function qualified({ symbol, containers }: PlacedSymbol): { name: string; owner: string | undefined } {
  const plain = symbol.name.replace(/\(.*$/s, '').replace(/<[^<>]*>/g, '');
  const parts = [...containers, ...plain.split('::').map((part) => part.trim())];
  return { name: parts.at(-1) ?? plain, owner: parts.at(-2) };
}

/** Each definition of a function that is linked by its name, nearest to a file first. */
async function definitionsInC(
  instance: ServerInstance,
  documents: readonly OpenDocument[],
  { path, word }: LinkedName,
  signal: AbortSignal | undefined,
): Promise<readonly Target[]> {
  const found: { readonly path: string; readonly target: Target }[] = [];
  for (const document of documents) {
    if (document.languageId !== LINKED) continue;
    const code = instance.facts.codeOf(document);
    for (const { symbol, name, containers } of placed(await documentSymbols(instance, document, signal))) {
      const { selection, range, kind } = symbol;
      if (name !== word || kind !== 'function' || containers.length > 0) continue;
      const hasBody = definesWithBody(linesBetween(code, selection.start.line, range.end.line), word);
      if (!hasBody || isStatic(code, selection.start)) continue;
      found.push({ path: document.path, target: { uri: document.uri, selection, range } });
    }
  }
  return nearestFirst(found, path);
}

function nearestFirst(
  found: readonly { readonly path: string; readonly target: Target }[],
  path: string,
): readonly Target[] {
  return found
    .toSorted((a, b) => common(b.path, path) - common(a.path, path) || (a.path < b.path ? -1 : 1))
    .map(({ target }) => target);
}

/** How many folders two paths have in common. */
function common(a: string, b: string): number {
  const others = b.split(/[\\/]/);
  const differs = a.split(/[\\/]/).findIndex((part, index) => part !== others[index]);
  return differs < 0 ? others.length : differs;
}
