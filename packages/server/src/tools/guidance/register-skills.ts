import type { Resource, ServerContext } from '@modelcontextprotocol/server';
import { DIRECTORY_MIME_TYPE, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { SkillReadResult } from '@modelcontextprotocol/server/ext/skills';
import { RootwardError, type Project } from '@rootward/core';
import type { WorkspaceServer, WorkspaceServerContext } from '@rootward/mcp';
import { findGuides, type GuideSource } from '../../guidance/guide.js';
import { openGuides, type ProjectSessions } from '../../guidance/project-sessions.js';
import { documentText, DOCUMENTS, entryOf, MANIFEST, manifestOf, skillsOf } from '../../guidance/skill.js';
import type { GuideSkill } from '../../guidance/skill.js';

const SCHEME = 'skill://';
const TYPE = 'text/markdown';

/** The project and its guidance, as one request sees them. */
export interface SeenGuides {
  readonly project: Project;
  readonly source: GuideSource;
}

export interface RegisterSkillsOptions {
  /** What `resources/list` shows, which never waits. Default: what the request sees. */
  readonly known?: (ctx: ServerContext) => SeenGuides | undefined;
  /** Told when a client has listed skills. */
  readonly onList: (ctx: ServerContext) => void;
}

/** Offers the guidance of the current project as skills (SEP-2640), one for each category. */
export function registerSkills(
  server: WorkspaceServer,
  projects: ProjectSessions,
  { known, onList }: RegisterSkillsOptions,
): void {
  const see = async (ctx: ServerContext): Promise<SeenGuides> => {
    const { session, source } = await openGuides(projects, inWorkspace(ctx).workspace, ctx.mcpReq.signal);
    return { project: session.project, source };
  };
  new SkillsExtension({
    source: {
      list: async (_params, ctx) => {
        onList(ctx);
        const seen = await unlessNoProject(see(ctx));
        if (seen === undefined) return { skills: [] };
        const { skills, source } = await findSkills(seen);
        return { skills: await Promise.all(skills.map((skill) => entryOf(source, skill))) };
      },
      get: async (uri, ctx) => {
        const found = await unlessNoProject(see(ctx).then((seen) => find(seen, uri)));
        return found?.path === MANIFEST ? entryOf(found.source, found.skill) : undefined;
      },
      read: async (uri, ctx) => {
        const found = await find(await see(ctx), uri);
        return found === undefined ? undefined : read(found);
      },
      readDirectory: async (uri, _params, ctx) => {
        const found = await unlessNoProject(see(ctx).then((seen) => find(seen, uri)));
        const resources = found === undefined ? [] : childrenOf(found);
        return resources.length === 0 ? undefined : { resources };
      },
      listResources: async (ctx) => {
        const seen = known === undefined ? await unlessNoProject(see(ctx)) : known(ctx);
        if (seen === undefined) return [];
        const { skills } = await findSkills(seen);
        return skills.map(({ name, path, description }) => ({
          name,
          description,
          uri: `${SCHEME}${path}/${MANIFEST}`,
          mimeType: TYPE,
        }));
      },
    },
  }).attach(server);
}

/** The extension is attached to a server with a workspace, whose requests all carry one. */
function inWorkspace(ctx: ServerContext): WorkspaceServerContext {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the extension do not know of it
  return ctx as WorkspaceServerContext;
}

/** Without a project there are no skills; that is no error of a listing. */
async function unlessNoProject<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RootwardError && error.code === 'no-project') return undefined;
    throw error;
  }
}

async function findSkills({ project, source }: SeenGuides): Promise<{
  readonly skills: readonly GuideSkill[];
  readonly source: GuideSource;
}> {
  return { skills: skillsOf(project, await findGuides(source)), source };
}

/** A place in a skill. */
interface Found {
  readonly source: GuideSource;
  readonly skill: GuideSkill;
  /** Names to look up in the skill, never a path to join; empty for its folder. */
  readonly path: string;
}

async function find(seen: SeenGuides, uri: string): Promise<Found | undefined> {
  const asked = decode(uri);
  if (asked === undefined) return undefined;
  const { skills, source } = await findSkills(seen);
  const skill = skills.find(({ path }) => asked === path || asked.startsWith(`${path}/`));
  return skill && { source, skill, path: asked.slice(skill.path.length + 1) };
}

function decode(uri: string): string | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  try {
    return decodeURIComponent(uri.slice(SCHEME.length)).replace(/\/$/, '');
  } catch {
    return undefined;
  }
}

async function read({ source, skill, path }: Found): Promise<SkillReadResult | undefined> {
  if (path === MANIFEST) return { text: await manifestOf(source, skill), mimeType: TYPE };
  const document = skill.guide.documents.find(({ name }) => path === `${DOCUMENTS}/${name}`);
  return document && { text: await documentText(source, document), mimeType: TYPE };
}

/** What is directly in a folder of a skill; nothing where there is no such folder. */
function childrenOf({ skill, path }: Found): Resource[] {
  const files = [MANIFEST, ...skill.guide.documents.map(({ name }) => `${DOCUMENTS}/${name}`)];
  const folder = path === '' ? '' : `${path}/`;
  const children = new Map<string, Resource>();
  for (const file of files) {
    if (!file.startsWith(folder)) continue;
    const [name = '', ...deeper] = file.slice(folder.length).split('/');
    const segments = `${folder}${name}`.split('/').map(encodeURIComponent);
    const uri = `${SCHEME}${skill.path}/${segments.join('/')}`;
    children.set(name, { name, uri, mimeType: deeper.length > 0 ? DIRECTORY_MIME_TYPE : TYPE });
  }
  return [...children.values()];
}
