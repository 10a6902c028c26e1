import { skillEntry, type Skill } from '@modelcontextprotocol/server/ext/skills';
import { RootwardError, type Project } from '@rootward/core';
import type { CategoryDocuments, Document } from './find-documents.js';
import { readFrontMatter, type FrontMatter } from './front-matter.js';
import type { GuideSource } from './guide.js';

/** A category of guidance as a skill: a `SKILL.md` made here, which names the documents beside it. */
export interface GuideSkill {
  /** The last part of its folder; hosts call the skill by it. */
  readonly name: string;
  /** The folder, without the scheme: the id of the project and the name. */
  readonly path: string;
  readonly description: string;
  readonly guide: CategoryDocuments;
}

/** A skill with what `SKILL.md` says, and its documents by their path in the skill where they were read. */
interface OpenedSkill {
  readonly manifest: string;
  /** Undefined where there are more than are read for a listing. */
  readonly files: Readonly<Record<string, string>> | undefined;
}

export const MANIFEST = 'SKILL.md';
/** Where the format of skills keeps what is read when it is needed. */
export const DOCUMENTS = 'references';
/** A document that is longer is not part of the skill: a resource has no pages. */
const MAX_DOCUMENT_BYTES = 1_000_000;
/** Beyond these a listing would read too much: the skill is then served without digests. */
const MAX_DIGESTED = 200;
const MAX_DIGESTED_BYTES = 4_000_000;
/** Limits of the format. */
const MAX_NAME_LENGTH = 64;
const MAX_DESCRIPTION_LENGTH = 1024;

/** The skills made from the guidance of a project: one for each category that has documents. */
export function skillsOf(project: Project, guides: readonly CategoryDocuments[]): readonly GuideSkill[] {
  const taken = new Set<string>();
  return guides
    .filter(({ documents }) => documents.length > 0)
    .map((guide) => {
      const name = freeName(nameOf(`${project.name} ${guide.category.name}`), taken);
      taken.add(name);
      return {
        name,
        path: `${nameOf(project.id)}/${name}`,
        description: describe(project, guide),
        guide,
      };
    });
}

/** Its entry in listings: with the digest of every file, or without where there are too many to read. */
export async function entryOf(source: GuideSource, skill: GuideSkill): Promise<Skill> {
  const { manifest, files } = await openSkill(source, skill);
  const entry = await skillEntry(skill.path, { ...files, [MANIFEST]: manifest });
  return files === undefined ? { ...entry, resources: 'dynamic' } : entry;
}

export async function manifestOf(source: GuideSource, skill: GuideSkill): Promise<string> {
  return (await openSkill(source, skill)).manifest;
}

/** The text of one document; rejects where it is too long to be part of a skill. */
export async function documentText(
  { scope, signal }: GuideSource,
  { category, name, path }: Document,
): Promise<string> {
  try {
    const options = { maxBytes: MAX_DOCUMENT_BYTES, ...(signal !== undefined && { signal }) };
    return (await scope.readText(path, options)).text;
  } catch (error) {
    if (!(error instanceof RootwardError) || error.code !== 'too-large') throw error;
    throw new RootwardError('too-large', `Cannot read ${JSON.stringify(name)}: it is too long for a skill`, {
      instruction: `Call category_content with category "${category}" and document "${name}", which has pages`,
      cause: error,
    });
  }
}

async function openSkill(source: GuideSource, skill: GuideSkill): Promise<OpenedSkill> {
  const { documents } = skill.guide;
  if (documents.length > MAX_DIGESTED) return { manifest: writeManifest(skill, new Map()), files: undefined };
  const files: Record<string, string> = {};
  const facts = new Map<Document, FrontMatter | undefined>();
  let left = MAX_DIGESTED_BYTES;
  for (const document of documents) {
    const text = await textOrNothing(source, document);
    facts.set(document, text === undefined ? undefined : readFrontMatter(text));
    if (text === undefined) continue;
    left -= text.length;
    if (left < 0) return { manifest: writeManifest(skill, new Map()), files: undefined };
    files[`${DOCUMENTS}/${document.name}`] = text;
  }
  return { manifest: writeManifest(skill, facts), files };
}

/** What cannot be read is named in `SKILL.md`, and is not part of the skill. */
async function textOrNothing(source: GuideSource, document: Document): Promise<string | undefined> {
  try {
    return await documentText(source, document);
  } catch (error) {
    if (error instanceof RootwardError) return undefined;
    throw error;
  }
}

/** `facts` has what was read; a document it does not know is linked without more. */
function writeManifest(
  { name, description, guide }: GuideSkill,
  facts: ReadonlyMap<Document, FrontMatter | undefined>,
): string {
  const category = JSON.stringify(guide.category.name);
  const lines = guide.documents.map((document) => {
    const known = facts.get(document);
    if (known === undefined && facts.has(document)) {
      return `- ${document.name} (not in this skill: call category_content with category ${category})`;
    }
    const about = [known?.title, known?.description].filter((fact) => fact !== undefined).join('; ');
    const path = [DOCUMENTS, ...document.name.split('/')].map(encodeURIComponent).join('/');
    return `- [${document.name}](${path})${about === '' ? '' : `: ${about}`}`;
  });
  return [
    '---',
    `name: ${name}`,
    // JSON is YAML, too.
    `description: ${JSON.stringify(description)}`,
    '---',
    '',
    `# ${name}`,
    '',
    description,
    '',
    'The authors of the project wrote these documents. Read those that concern your task:',
    '',
    ...lines,
    '',
  ].join('\n');
}

function describe(
  project: Project,
  { category: { name, description }, documents }: CategoryDocuments,
): string {
  const about = description === undefined ? '' : `: ${description}`;
  const count = documents.length === 1 ? '1 document' : `${documents.length} documents`;
  const text = `Guidance of the project ${project.name}, category ${name}${about} (${count})`;
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').slice(0, MAX_DESCRIPTION_LENGTH);
}

/** Lower-case letters, digits and single hyphens, as the format wants names. */
function nameOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const name = plain.replaceAll(/[^a-z0-9]+/g, '-').slice(0, MAX_NAME_LENGTH);
  return name.replaceAll(/^-+|-+$/g, '') || 'guide';
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let count = 2, free = name; ; count++) {
    if (!taken.has(free)) return free;
    const suffix = `-${count}`;
    free = name.slice(0, MAX_NAME_LENGTH - suffix.length).replace(/-+$/, '') + suffix;
  }
}
