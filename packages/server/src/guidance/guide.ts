import { RootwardError, type Scope } from '@rootward/core';
import type { Category } from './category.js';
import { findDocuments, type CategoryDocuments, type Document } from './find-documents.js';
import { FRONT_MATTER_BYTES, readFrontMatter, type FrontMatter } from './front-matter.js';
import { guideUri } from './guide-uri.js';

/** A project's guidance, seen through the scope of one call. */
export interface GuideSource {
  readonly scope: Scope;
  /** The project's folder; a project that is only a name has none. */
  readonly directory: string | undefined;
  readonly categories: readonly Category[];
  readonly signal?: AbortSignal;
}

export interface DescribedDocument extends FrontMatter {
  readonly name: string;
  readonly uri: string;
}

/** A part of a document. */
export interface DocumentPart {
  readonly name: string;
  readonly uri: string;
  readonly text: string;
  /** Why there is no text, in words. */
  readonly problem?: string;
}

export interface GuidePage {
  readonly parts: readonly DocumentPart[];
  /** Where to go on; absent on the last page. */
  readonly nextPosition?: string;
}

const FRONT_MATTER_LINES = 80;
/** If less of a document fits, it starts on the next page instead. */
const MIN_PART_LENGTH = 200;
const ASK_FOR_LIST = { instruction: 'Call category_list for the categories and documents of this project' };

/** All categories that are named by someone, and those found by custom that have documents. */
export async function findGuides(source: GuideSource): Promise<readonly CategoryDocuments[]> {
  const { scope, directory, categories, signal } = source;
  const found = await findDocuments(scope, directory, categories, signal);
  return found.filter(({ category, documents }) => category.from !== 'convention' || documents.length > 0);
}

/** The documents that a category, or one document of it, stands for; throws with an instruction where there are none. */
export function selectDocuments(
  guides: readonly CategoryDocuments[],
  asked: string,
  document?: string,
): readonly Document[] {
  const slash = document === undefined ? asked.indexOf('/') : -1;
  const name = slash < 0 ? asked : asked.slice(0, slash);
  const wanted = slash < 0 ? document : asked.slice(slash + 1);
  const guide = guides.find(({ category }) => category.name === name);
  if (guide === undefined) {
    const names = guides.map(({ category }) => category.name).join(', ');
    const state = names === '' ? 'this project has none' : `this project has ${names}`;
    throw new RootwardError(
      'not-found',
      `Cannot find category ${JSON.stringify(name)}: ${state}`,
      ASK_FOR_LIST,
    );
  }
  if (wanted === undefined) return guide.documents;
  const one = guide.documents.find((each) => each.name === wanted);
  if (one === undefined) {
    const message = `Cannot find document ${JSON.stringify(wanted)}: category "${name}" has no such document`;
    throw new RootwardError('not-found', message, ASK_FOR_LIST);
  }
  return [one];
}

export async function describeDocument(
  { scope, signal }: GuideSource,
  { category, name, path }: Document,
): Promise<DescribedDocument> {
  const described = { name, uri: guideUri({ category, document: name }) };
  try {
    const { text } = await scope.readText(path, {
      head: FRONT_MATTER_LINES,
      maxBytes: FRONT_MATTER_BYTES,
      ...(signal !== undefined && { signal }),
    });
    return { ...described, ...readFrontMatter(text) };
  } catch (error) {
    if (error instanceof RootwardError) return described;
    throw error;
  }
}

/**
 * One page of documents, one after the other, from a position on; without parts where there is nothing by now. Nothing
 * is kept, and between pages the disk may change. A single document that cannot be read is an error; one of several is reported in its place.
 */
export async function readGuidePage(
  { scope, signal }: GuideSource,
  documents: readonly Document[],
  position: string | undefined,
  size: number,
): Promise<GuidePage> {
  const parts: DocumentPart[] = [];
  let { index, offset } = readPosition(position);
  let left = size;
  for (let document = documents[index]; document !== undefined; document = documents[index]) {
    if (left < MIN_PART_LENGTH) return { parts, nextPosition: `${index}:${offset}` };
    const { category, name, path } = document;
    const part = { name, uri: guideUri({ category, document: name }) };
    try {
      const { text } = await scope.readText(path, signal === undefined ? {} : { signal });
      const page = cutPage(text, offset, left);
      if (offset === 0 || offset < text.length) parts.push({ ...part, text: page.text });
      left -= page.text.length;
      if (page.end < text.length) return { parts, nextPosition: `${index}:${page.end}` };
    } catch (error) {
      if (!(error instanceof RootwardError) || documents.length === 1) throw error;
      parts.push({ ...part, text: '', problem: error.message });
    }
    index++;
    offset = 0;
  }
  return { parts };
}

function readPosition(position: string | undefined): { readonly index: number; readonly offset: number } {
  if (position === undefined) return { index: 0, offset: 0 };
  const [, index, offset] = /^(\d{1,6}):(\d{1,9})$/.exec(position) ?? [];
  if (index === undefined || offset === undefined) {
    throw new RootwardError('invalid-option', `Cannot continue at ${JSON.stringify(position)}`, {
      instruction: 'Pass nextCursor of the page before, or leave it out to start over',
    });
  }
  return { index: Number(index), offset: Number(offset) };
}

interface TextPage {
  readonly text: string;
  /** Where the next page starts. */
  readonly end: number;
}

/** At most `size` characters from `start`, cut after a line where there is one, and never inside a character. */
export function cutPage(text: string, start: number, size: number): TextPage {
  const limit = start + size;
  if (limit >= text.length) return { text: text.slice(start), end: text.length };
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  const end = line > start ? line : beforeSplitPair(text, limit, start);
  return { text: text.slice(start, end), end };
}

/** Two halves of a character stay together, unless a page would be empty. */
function beforeSplitPair(text: string, end: number, start: number): number {
  const code = text.charCodeAt(end - 1);
  const isHigh = code >= 0xd8_00 && code <= 0xdb_ff;
  return isHigh && end - 1 > start ? end - 1 : end;
}
