import type { Location } from 'vscode-languageserver-protocol';
import type { AstNode } from '../../connection/requests.js';
import type { OpenDocument } from '../../documents/documents.js';
import { LocationFilter } from '../../filter/location-filter.js';
import type { CodeContext } from '../../pool/code-context.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import type { Spot, Target } from '../symbols/definition-targets.js';
import { covers, declaredAt, documentSymbols, type PlacedSymbol } from '../symbols/document-symbols.js';

/** Files with declarations of one name that are looked into for its definitions, nearest first. */
const MAX_FILES = 100;
const FUNCTIONS = /^(?:Function|CXXMethod|CXXConstructor|CXXDestructor|CXXConversion)$/;
const BODIES: ReadonlySet<string> = new Set(['Compound', 'CXXTry']);
const TYPES = /^(?:CXX)?Record$|^ClassTemplate/;

/**
 * Finds every definition of a name, nearest first. Servers that link names across files take all of them for one
 * symbol and give any one of them, although each program of a folder may have its own. Empty for other servers.
 */
export async function linkedDefinitions(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  spot: Spot,
): Promise<readonly (Target & { readonly file: string })[]> {
  if (instance.definition.linksNames !== true) return [];
  const filter = new LocationFilter(scope);
  const byFile = new Map<string, Location[]>();
  for (const location of await declarations(instance, spot, signal)) {
    const file = filter.admit(location.uri);
    if (file !== undefined) byFile.set(file, [...(byFile.get(file) ?? []), location]);
  }
  const { path } = spot.document;
  const files = [...byFile].toSorted(([a], [b]) => common(b, path) - common(a, path) || (a < b ? -1 : 1));
  const found: (Target & { readonly file: string })[] = [];
  for (const [file, locations] of files.slice(0, MAX_FILES)) {
    const request = { scope, paths: [], further: [file], signal, isSynced: true };
    await instance.withDocuments(request, async ([document]) => {
      if (document === undefined) return;
      for (const { range } of locations) {
        const own = await definedAt(instance, { document, place: range.start }, signal);
        if (own !== undefined) found.push({ ...own, file });
      }
    });
  }
  return found;
}

/** The declaration whose name stands at a spot, where the server says that it is a definition. */
export async function definedAt(
  instance: ServerInstance,
  { document, place }: Spot,
  signal: AbortSignal | undefined,
): Promise<Target | undefined> {
  const own = declaredAt(await documentSymbols(instance, document, signal), place);
  if (own === undefined || !covers(own.symbol.selection, place)) return undefined;
  if (!(await isDefined(instance, document, own, signal))) return undefined;
  const { selection, range } = own.symbol;
  return { uri: document.uri, selection, range };
}

/** Where a name is declared or defined: a server lists these places with its uses, unless it is told to leave them out. */
async function declarations(
  instance: ServerInstance,
  { document, place }: Spot,
  signal: AbortSignal | undefined,
): Promise<readonly Location[]> {
  const list = async (includeDeclaration: boolean): Promise<readonly Location[]> => {
    const at = { textDocument: { uri: document.uri }, position: place };
    return (
      (await instance.request(
        'textDocument/references',
        { ...at, context: { includeDeclaration } },
        signal,
      )) ?? []
    );
  };
  const uses = new Set((await list(false)).map(keyOf));
  return (await list(true)).filter((location) => !uses.has(keyOf(location)));
}

function keyOf({ uri, range }: Location): string {
  return `${uri} ${range.start.line}:${range.start.character}`;
}

async function isDefined(
  instance: ServerInstance,
  { uri }: OpenDocument,
  { symbol: { range }, containers }: PlacedSymbol,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const node = await instance.request('textDocument/ast', { textDocument: { uri }, range }, signal);
  return node !== null && isDefinition(node, containers.length > 0);
}

/** Whether a node of the syntax tree, as clang prints it, defines what it declares. Pure. */
export function isDefinition({ kind, arcana = '', children = [] }: AstNode, isMember: boolean): boolean {
  if (FUNCTIONS.test(kind)) {
    return children.some((child) => BODIES.has(child.kind)) || /'(?: \w+)* (?:default|delete)\b/.test(arcana);
  }
  if (kind === 'Enum') return children.length > 0;
  if (TYPES.test(kind)) return / definition(?:DefinitionData|$)/.test(arcana);
  if (kind !== 'Var' || /\b(?:c|call|list)init\b/.test(arcana)) return true;
  return !/' extern\b/.test(arcana) && !(isMember && /' static\b/.test(arcana) && !/\binline\b/.test(arcana));
}

/** How many folders two paths have in common. */
function common(a: string, b: string): number {
  const others = b.split(/[\\/]/);
  const differs = a.split(/[\\/]/).findIndex((part, index) => part !== others[index]);
  return differs < 0 ? others.length : differs;
}
