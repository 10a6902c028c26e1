import type { Range } from 'vscode-languageserver-protocol';
import type { OpenDocument } from '../../documents/documents.js';
import type { Place } from '../../documents/find-word.js';
import { LocationFilter } from '../../filter/location-filter.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import type { CodeContext } from '../../pool/code-context.js';
import { definitionTargets, type Spot } from './definition-targets.js';
import { covers, declaredAt, documentSymbols, placed, type SymbolNode } from './document-symbols.js';
import { isIn, serverName, type SymbolName } from './symbol-name.js';

/** Steps from a type to those it is made from. */
const MAX_DEPTH = 8;
/** Names looked at in the head of one type. */
const MAX_NAMES = 12;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** Where the head of a type ends: at a brace, or at a colon before a line end. */
const BODY = /\{|:\s*(?:#.*)?(?:\r?\n|$)/;

/** Where a member is declared that a type of this file inherits, for `Child.method` where `Base` has it. */
export async function inheritedMember(
  context: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  symbols: readonly SymbolNode[],
  { name, containers }: SymbolName,
): Promise<Spot | undefined> {
  const owner = containers.at(-1);
  const type = [...placed(symbols)].find(
    (each) => each.name === owner && isIn(each.containers, containers.slice(0, -1)),
  );
  return type === undefined
    ? undefined
    : memberOf(context, instance, { document, type: type.symbol, name }, 0);
}

interface Step {
  readonly document: OpenDocument;
  readonly type: SymbolNode;
  readonly name: string;
}

async function memberOf(
  context: CodeContext,
  instance: ServerInstance,
  { document, type, name }: Step,
  depth: number,
): Promise<Spot | undefined> {
  const member = type.children.find((child) => serverName(child.name).name === name);
  if (member !== undefined) return { document, place: member.selection.start };
  if (depth >= MAX_DEPTH || !instance.capabilities.definitionProvider) return undefined;
  for (const place of namesInHead(document.text, type)) {
    for (const step of await typesAt(context, instance, { document, place })) {
      if (step.type.selection.start.line === type.selection.start.line && step.document === document)
        continue;
      const found = await memberOf(context, instance, { ...step, name }, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The types that a name in the head of another one stands for, as far as they are in scope. */
export async function typesAt(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  { document, place }: Spot,
): Promise<readonly { readonly document: OpenDocument; readonly type: SymbolNode }[]> {
  const filter = new LocationFilter(scope);
  const types: { readonly document: OpenDocument; readonly type: SymbolNode }[] = [];
  for (const { uri, selection } of await definitionTargets(instance, document, place, signal)) {
    const file = filter.admit(uri);
    if (file === undefined) continue;
    await instance.withDocuments({ scope, paths: [], further: [file], signal }, async ([target]) => {
      if (target === undefined) return;
      const found = declaredAt(await documentSymbols(instance, target, signal), selection.start);
      if (found !== undefined) types.push({ document: target, type: found.symbol });
    });
  }
  return types;
}

/** The places of the names between the name of a type and its body. Pure. */
export function namesInHead(text: string, type: SymbolNode): readonly Place[] {
  const head = headOf(text, type);
  const names = new Set<string>();
  return text
    .split(/\r\n|\n|\r/)
    .slice(head.start.line, head.end.line + 1)
    .flatMap((content, index) =>
      [...content.matchAll(NAME)].map(({ 0: name, index: character }) => {
        return { name, place: { line: head.start.line + index, character } };
      }),
    )
    .filter(({ name, place }) => covers(head, place) && !names.has(name) && names.add(name))
    .slice(0, MAX_NAMES)
    .map(({ place }) => place);
}

/** From behind the name of a type to its body. Pure. */
export function headOf(text: string, { selection, range }: SymbolNode): Range {
  const { line, character } = selection.end;
  const lines = text.split(/\r\n|\n|\r/).slice(line, range.end.line + 1);
  const rest = [(lines[0] ?? '').slice(character), ...lines.slice(1)].join('\n');
  const head = rest.slice(0, BODY.exec(rest)?.index ?? (lines[0] ?? '').length);
  const parts = head.split('\n');
  const last = parts.at(-1) ?? '';
  const end = {
    line: line + parts.length - 1,
    character: last.length + (parts.length === 1 ? character : 0),
  };
  return { start: selection.end, end };
}
