import * as z from 'zod';
import { findGuides, readGuidePage, selectDocuments, type DocumentPart } from '../../guidance/guide.js';
import { openGuides } from '../../guidance/project-sessions.js';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { inProjectShape, projectOutput } from './project-result.js';

/** Some eight thousand tokens; clients cut results that are much longer. */
const PAGE_CHARACTERS = 30_000;

export const categoryContent: Tool = defineTool({
  name: 'category_content',
  toolset: 'project',
  title: 'Read Guidance',
  description:
    'Read guidance documents of the current project: a whole category, or one document ("category/document").',
  annotations: READS,
  input: () => z.object({ category: z.string(), document: z.string().optional(), cursor: cursorArgument() }),
  output: () =>
    projectOutput(
      z.object({
        documents: z.array(
          z.object({
            name: z.string(),
            uri: z.string(),
            text: z.string(),
            problem: z.string().optional(),
          }),
        ),
        nextCursor: nextCursorField(),
      }),
    ),
  handle: (args, context) =>
    inProjectShape(async () => {
      const cursors = new Cursors('category_content', args);
      const { projects, workspace, signal } = context;
      const { source } = await openGuides(projects, workspace, signal);
      const documents = selectDocuments(await findGuides(source), args.category, args.document);
      const { position } = cursors;
      const { parts, nextPosition } = await readGuidePage(source, documents, position, PAGE_CHARACTERS);
      if (position !== undefined && parts.length === 0) throw cursors.gone();
      const nextCursor = nextPosition === undefined ? undefined : cursors.at(nextPosition);
      for (const { uri, problem } of parts) context.audit(uri, problem === undefined ? 'allowed' : 'refused');
      return {
        value: { documents: parts, ...(nextCursor !== undefined && { nextCursor }) },
        text: print(parts, documents.length) + continuation(nextCursor),
      };
    }),
});

/** One document is given as it is; of several, each has its name above it. */
function print(parts: readonly DocumentPart[], count: number): string {
  if (parts.length === 0) return 'No documents';
  if (count === 1) return parts.map(({ text }) => text).join('');
  return parts.map(({ name, text, problem }) => `=== ${name} ===\n${problem ?? text}`).join('\n');
}
