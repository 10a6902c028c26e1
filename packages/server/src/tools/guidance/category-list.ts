import { basename } from 'node:path';
import * as z from 'zod';
import type { CategoryDocuments, Document } from '../../guidance/find-documents.js';
import { describeDocument, findGuides } from '../../guidance/guide.js';
import type { DescribedDocument, GuideSource } from '../../guidance/guide.js';
import { openGuides } from '../../guidance/project-sessions.js';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { inProjectShape, projectOutput } from './project-result.js';

/** Documents; the top of each is read. */
const PAGE = 100;

interface ListedCategory {
  readonly name: string;
  readonly description?: string;
  readonly from: string;
  readonly documentCount: number;
  readonly documents: readonly DescribedDocument[];
  readonly problem?: string;
}

export const categoryList: Tool = defineTool({
  name: 'category_list',
  toolset: 'project',
  title: 'List Guidance',
  description:
    "The categories of the current project's guidance documents, with what the documents are about.",
  annotations: READS,
  input: () => z.object({ cursor: cursorArgument() }),
  output: () =>
    projectOutput(
      z.object({
        project: z.string(),
        categories: z.array(
          z.object({
            name: z.string(),
            description: z.string().optional(),
            from: z.string(),
            documentCount: z.number(),
            documents: z.array(
              z.object({
                name: z.string(),
                uri: z.string(),
                title: z.string().optional(),
                description: z.string().optional(),
                audience: z.array(z.string()).optional(),
              }),
            ),
            problem: z.string().optional(),
          }),
        ),
        problems: z.array(z.string()).optional(),
        nextCursor: nextCursorField(),
      }),
    ),
  handle: (args, { projects, workspace, signal }) =>
    inProjectShape(async () => {
      const cursors = new Cursors('category_list', args);
      const { session, source } = await openGuides(projects, workspace, signal);
      const guides = await findGuides(source);
      const documents = guides.flatMap((guide) => guide.documents);
      const { items, nextCursor } = cursors.page(documents, PAGE);
      const page = new Set(items);
      const shown = guides.filter(
        (guide) => cursors.start === 0 || guide.documents.some((document) => page.has(document)),
      );
      const categories = await Promise.all(shown.map((guide) => describe(source, guide, page)));
      const { problems } = session.settings();
      const told = problems.map(({ file, problem }) => `${basename(file)} has a problem: ${problem}`);
      const count = guides.length === 1 ? '1 category' : `${guides.length} categories`;
      const message = `${session.project.id} has ${count}`;
      return {
        value: {
          project: session.project.id,
          categories,
          ...(told.length > 0 && { problems: told }),
          ...(nextCursor !== undefined && { nextCursor }),
        },
        text: [message, ...told, ...categories.flatMap(print)].join('\n') + continuation(nextCursor),
        message,
      };
    }),
});

async function describe(
  source: GuideSource,
  { category, documents, problem, truncated }: CategoryDocuments,
  page: ReadonlySet<Document>,
): Promise<ListedCategory> {
  const described: DescribedDocument[] = [];
  for (const document of documents) {
    if (page.has(document)) described.push(await describeDocument(source, document));
  }
  const state = problem ?? (truncated ? 'too_many' : undefined);
  return {
    name: category.name,
    ...(category.description !== undefined && { description: category.description }),
    from: category.from,
    documentCount: documents.length,
    documents: described,
    ...(state !== undefined && { problem: state }),
  };
}

function print({ name, description, documentCount, documents, problem }: ListedCategory): readonly string[] {
  const about = description === undefined ? '' : `: ${description}`;
  const state = problem === undefined ? '' : ` [${problem}]`;
  return [
    `${name} (${documentCount})${about}${state}`,
    ...documents.map((document) => {
      const { title, description: text, audience } = document;
      const facts = [title, text, audience === undefined ? undefined : `for ${audience.join(', ')}`];
      const given = facts.filter((fact) => fact !== undefined).join('; ');
      return `  ${name}/${document.name}${given === '' ? '' : `: ${given}`}`;
    }),
  ];
}
