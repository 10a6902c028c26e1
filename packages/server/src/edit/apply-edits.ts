import { RootwardError } from '@rootward/core';
import { findMatches, MAX_MATCHES, type Match } from './find-matches.js';
import { NormalisedText, toLf } from './line-endings.js';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Every place where it stands, exactly; without it there must be one. */
  readonly replaceAll?: boolean | undefined;
}

/**
 * Applies edits in order, each to the outcome of the one before. An edit must match in exactly one place. Line endings
 * are those of the file: those of the edits do not matter. Throws, and changes nothing, when one edit does not fit.
 * Yields after each edit, so that a caller with many of them can do something else in between.
 */
export function* applyEdits(
  path: string,
  text: string,
  edits: readonly Edit[],
): Generator<undefined, string, void> {
  let edited = text;
  for (const [index, edit] of edits.entries()) {
    edited = applyEdit(path, edited, edit, index, edits.length);
    yield;
  }
  return edited;
}

function applyEdit(path: string, text: string, edit: Edit, index: number, count: number): string {
  const label = count === 1 ? 'the edit' : `edit ${index + 1} of ${count}`;
  const oldText = toLf(edit.oldText);
  if (oldText === '') throw emptyEdit(path, label);
  const normalised = new NormalisedText(text);
  if (edit.replaceAll === true)
    return replaceEverywhere(path, normalised, oldText, toLf(edit.newText), label);
  const matches = findMatches(normalised.text, oldText, toLf(edit.newText));
  const [match, second] = matches;
  if (match === undefined) throw missingEdit(path, label, oldText);
  if (second !== undefined) throw ambiguousEdit(path, label, normalised.text, matches);
  return normalised.replace(match.start, match.end, match.replacement);
}

function replaceEverywhere(
  path: string,
  normalised: NormalisedText,
  oldText: string,
  newText: string,
  label: string,
): string {
  const starts: number[] = [];
  for (let at = normalised.text.indexOf(oldText); at >= 0;) {
    starts.push(at);
    at = normalised.text.indexOf(oldText, at + oldText.length);
  }
  if (starts.length === 0) throw missingEdit(path, label, oldText);
  return normalised.replaceAll(starts, oldText.length, newText);
}

function emptyEdit(path: string, label: string): RootwardError {
  return new RootwardError(
    'invalid-option',
    `Cannot edit ${JSON.stringify(path)}: oldText of ${label} is empty`,
    {
      path,
      instruction: 'Pass the text to replace; to create or replace a whole file use write_file',
    },
  );
}

const TEXT_SHOWN = 200;

function missingEdit(path: string, label: string, oldText: string): RootwardError {
  const shown = oldText.length > TEXT_SHOWN ? `${oldText.slice(0, TEXT_SHOWN)}…` : oldText;
  return new RootwardError(
    'not-found',
    `Cannot edit ${JSON.stringify(path)}: could not find the text of ${label}: ${JSON.stringify(shown)}`,
    { path, instruction: 'Read the file again and pass oldText exactly as it is there' },
  );
}

function ambiguousEdit(path: string, label: string, text: string, matches: readonly Match[]): RootwardError {
  const most = MAX_MATCHES - 1;
  const lines = new Set(matches.slice(0, most).map(({ start }) => lineAt(text, start)));
  const times = matches.length > most ? `more than ${most}` : matches.length;
  const where = lines.size === 1 ? 'line' : 'lines';
  return new RootwardError(
    'ambiguous',
    `Cannot edit ${JSON.stringify(path)}: the text of ${label} matches ${times} times, on ${where} ${[...lines].join(', ')}${matches.length > most ? ' and more' : ''}`,
    { path, instruction: 'Pass more of the text around the place that is meant' },
  );
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
