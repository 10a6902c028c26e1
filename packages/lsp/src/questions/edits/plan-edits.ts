import type { TextEdit } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../../error.js';
import { LocationFilter } from '../../filter/location-filter.js';
import { changedMeanwhile, type PlannedEdit } from './apply-edits.js';
import { applyTextEdits, replacedTexts } from './apply-text-edits.js';
import type { FileEdits } from './read-workspace-edit.js';
import type { CodeContext } from '../../pool/code-context.js';

const LONE_RETURN = /\r(?!\n)/;
/** Times of files are rounded up as well as down. */
const TIME_ROUNDING_MS = 1;

/** How one file changes. */
interface PlannedFile extends PlannedEdit {
  /** How many places change. */
  readonly edits: number;
}

/** The edits of a rename as texts before and after. Refuses all of them if one is not allowed or does not fit its file. */
export async function planEdits(
  context: CodeContext,
  files: readonly FileEdits[],
  symbol: string,
  askedAt: number,
): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  for (const [path, edits] of byPath(context, files)) {
    if (!context.scope.locate(path).writable) {
      throw new RootwardLspError(
        'edit-refused',
        `Cannot rename: "${path}" may not be written, so nothing is changed`,
      );
    }
    const { modified } = await context.scope.stat(path);
    // The edits are for the text as the server saw it. A time that has not come yet says nothing.
    if (isBetween(modified.getTime(), askedAt, Date.now())) throw changedMeanwhile(path);
    const { text } = await context.scope.readText(path);
    if (LONE_RETURN.test(text)) refuseShifted(path, symbol, replacedTexts(text, edits));
    const after = applyTextEdits(text, edits);
    if (after !== text) planned.push({ path, before: text, after, edits: edits.length });
  }
  return planned.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** A server that follows links may name one file in several ways, and an edit more than once. */
function byPath(
  { scope }: CodeContext,
  files: readonly FileEdits[],
): ReadonlyMap<string, readonly TextEdit[]> {
  const filter = new LocationFilter(scope);
  const found = new Map<string, Map<string, TextEdit>>();
  for (const { uri, edits } of files) {
    const path = filter.admit(uri);
    if (path === undefined) {
      throw new RootwardLspError(
        'edit-refused',
        'Cannot rename: it would change a file outside the roots, so nothing is changed',
      );
    }
    const known = found.get(path) ?? new Map<string, TextEdit>();
    found.set(path, known);
    for (const edit of edits)
      known.set(JSON.stringify([edit.range.start, edit.range.end, edit.newText]), edit);
  }
  return new Map([...found].map(([path, edits]) => [path, [...edits.values()]]));
}

/** The protocol takes a carriage return for a line end; servers that do not name other lines than they mean. */
function refuseShifted(path: string, symbol: string, replaced: readonly string[]): void {
  const name = (symbol.split(/::|[.#]/).findLast(Boolean) ?? symbol).toLowerCase();
  if (replaced.every((text) => text.toLowerCase().includes(name))) return;
  throw new RootwardLspError(
    'edit-refused',
    `Cannot rename: "${path}" has carriage returns that the server does not count as line ends, so nothing is changed`,
    { instruction: 'Change them to line feeds, and try again' },
  );
}

function isBetween(time: number, after: number, until: number): boolean {
  return time > after + TIME_ROUNDING_MS && time <= until + TIME_ROUNDING_MS;
}
