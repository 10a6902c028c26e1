import { ResourceTemplate } from '@modelcontextprotocol/server';
import type { ListResourcesResult, ReadResourceResult, ServerContext } from '@modelcontextprotocol/server';
import { RootwardError, type Workspace } from '@rootward/core';
import type { WorkspaceServer } from '@rootward/mcp';
import * as z from 'zod';
import { Cursors } from '../framework/paging.js';
import { describeDocument, findGuides, readGuidePage, selectDocuments } from '../../guidance/guide.js';
import type { GuideSource } from '../../guidance/guide.js';
import { readGuideUri } from '../../guidance/guide-uri.js';
import { openGuides, type ProjectSessions } from '../../guidance/project-sessions.js';
import type { Era } from '../../era.js';
import { madeLater } from './made-later.js';
import { registerSkills, type SeenGuides } from './register-skills.js';

/** A longer list does not help in a picker; category_list has pages. */
const MAX_LISTED = 200;
/** A resource has no pages; category_content does. */
const MAX_RESOURCE_LENGTH = 1_000_000;
const MAX_PROMPT_LENGTH = 100_000;
const TYPE = 'text/markdown';
/** One for all sessions: a schema takes 4 KB. */
const PROMPT_ARGUMENTS = madeLater(() =>
  z.object({ category: z.string().optional().describe('Category, or category/document') }),
);

/** What is known of the client that a request comes from. */
export interface GuideReader {
  /** Of its connection: the guides of the project known there are listed, as listing asks nobody and never waits. */
  readonly workspace: Workspace | undefined;
  /** Whether it has a list that may get out of date. */
  hasListedGuides: boolean;
}

/** Offers the project's guidance as resources, as skills and as a prompt. `readerOf` is asked for each list. */
export function registerGuides(
  server: WorkspaceServer,
  projects: ProjectSessions,
  era: Era,
  readerOf: (ctx: ServerContext) => GuideReader,
): void {
  server.registerResource(
    'guide',
    new ResourceTemplate('guide://{category}/{+document}', {
      list: async (ctx) => {
        const reader = readerOf(ctx);
        reader.hasListedGuides = true;
        const { workspace } = reader;
        return { resources: workspace === undefined ? [] : await listGuides(workspace, projects) };
      },
    }),
    { title: 'Guide', description: 'A guidance document of the current project', mimeType: TYPE },
    async (uri, _variables, { workspace, mcpReq }) => {
      const { source } = await openGuides(projects, workspace, mcpReq.signal);
      return readGuide(uri.href, source);
    },
  );
  registerSkills(server, projects, {
    // A modern request sees what can be known without asking; a legacy connection may still wait for its answer.
    ...(era === 'legacy' && {
      known: (ctx) => {
        const { workspace } = readerOf(ctx);
        return workspace && knownGuides(workspace, projects);
      },
    }),
    onList: (ctx) => {
      readerOf(ctx).hasListedGuides = true;
    },
  });
  server.registerPrompt(
    'guide',
    {
      title: 'Guide',
      description: "The current project's guidance: one category, one document, or what there is",
      argsSchema: PROMPT_ARGUMENTS,
    },
    async ({ category }, { workspace, mcpReq }) => {
      const { session, source } = await openGuides(projects, workspace, mcpReq.signal);
      const text =
        category === undefined ? await describeGuides(source) : await quoteGuides(source, category);
      const about = `Guidance of the project ${session.project.name}`;
      return {
        description: about,
        messages: [{ role: 'user', content: { type: 'text', text: `${about}:\n\n${text}` } }],
      };
    },
  );
}

async function listGuides(
  workspace: Workspace,
  projects: ProjectSessions,
): Promise<ListResourcesResult['resources']> {
  const source = knownGuides(workspace, projects)?.source;
  if (source === undefined) return [];
  const documents = (await findGuides(source)).flatMap((guide) => guide.documents);
  const resources: ListResourcesResult['resources'] = [];
  for (const document of documents.slice(0, MAX_LISTED)) {
    const { name, uri, title, description } = await describeDocument(source, document);
    resources.push({
      name: `${document.category}/${name}`,
      uri,
      mimeType: TYPE,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    });
  }
  return resources;
}

function knownGuides(workspace: Workspace, projects: ProjectSessions): SeenGuides | undefined {
  try {
    const session = projects.known(workspace);
    const { project } = session;
    const { categories } = session.settings();
    return { project, source: { scope: workspace.scope(), directory: project.path, categories } };
  } catch (error) {
    if (error instanceof RootwardError && error.code === 'no-project') return undefined;
    throw error;
  }
}

async function readGuide(uri: string, source: GuideSource): Promise<ReadResourceResult> {
  const reference = readGuideUri(uri);
  if (reference === undefined) {
    throw new RootwardError('malformed', `Cannot read ${JSON.stringify(uri)}: it names no document`, {
      instruction: 'Use a uri from category_list',
    });
  }
  const { category, document } = reference;
  const documents = selectDocuments(await findGuides(source), category, document);
  const { parts, nextPosition } = await readGuidePage(source, documents, undefined, MAX_RESOURCE_LENGTH);
  if (nextPosition !== undefined) {
    throw new RootwardError(
      'too-large',
      `Cannot read ${JSON.stringify(uri)}: it is too long for a resource`,
      {
        instruction: `Call category_content with category "${category}" and document "${document}", which has pages`,
      },
    );
  }
  return { contents: parts.map(({ text }) => ({ uri, mimeType: TYPE, text })) };
}

async function describeGuides(source: GuideSource): Promise<string> {
  const guides = await findGuides(source);
  if (guides.length === 0) return 'This project has no guidance.';
  return guides
    .map(({ category: { name, description }, documents }) =>
      [
        `${name}${description === undefined ? '' : `: ${description}`}`,
        ...documents.map((one) => `- ${name}/${one.name}`),
      ].join('\n'),
    )
    .join('\n\n');
}

async function quoteGuides(source: GuideSource, category: string): Promise<string> {
  const documents = selectDocuments(await findGuides(source), category);
  const { parts, nextPosition } = await readGuidePage(source, documents, undefined, MAX_PROMPT_LENGTH);
  const quoted = parts.map(({ name, text, problem }) => `=== ${name} ===\n${problem ?? text}`);
  if (nextPosition === undefined) return quoted.join('\n');
  const cursor = new Cursors('category_content', { category }).at(nextPosition);
  return [...quoted, `[more: category_content with category "${category}" and cursor "${cursor}"]`].join(
    '\n',
  );
}
