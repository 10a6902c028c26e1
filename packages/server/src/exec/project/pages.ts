import { readdir } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { isObject } from '@rootward/core/platform';
import { isFile, readObject, type Report } from './read-object.js';
import type { ProjectResource } from './project-content.js';
import type { IconReader } from './icons.js';
import { makePage } from './templates/make-page.js';

const PAGE_TYPE = 'text/html;profile=mcp-app';
export const PAGE_PROVIDER = 'page';
export const PAGES_FOLDER = 'ui';
const METADATA = 'ui.meta.json';
const USUAL_PAGE = 'index.html';

/** The pages of a project (MCP Apps): `tools/NAME/ui/` and `ui/NAME/`. */
export async function findPages(
  project: string,
  icons: IconReader,
  report: Report,
): Promise<readonly ProjectResource[]> {
  const server = await serverName(project);
  const folders = [
    ...(await foldersIn(join(project, 'tools'))).map(
      (folder) => [folder, join(folder, PAGES_FOLDER)] as const,
    ),
    ...(await foldersIn(join(project, PAGES_FOLDER))).map((folder) => [folder, folder] as const),
  ];
  const found = await Promise.all(
    folders.map(([named, folder]) => readPage(basename(named), folder, { server, icons }, report)),
  );
  return found.filter((page) => page !== undefined);
}

async function readPage(
  folderName: string,
  folder: string,
  { server, icons: reader }: { readonly server: string; readonly icons: IconReader },
  report: Report,
): Promise<ProjectResource | undefined> {
  const metadata = join(folder, METADATA);
  const about = (await isFile(metadata)) ? await readObject(metadata, report) : {};
  if (about === undefined) return undefined;
  const { entrypoint = USUAL_PAGE, name = folderName, template, config, title, description, meta } = about;
  const file = resolve(folder, String(entrypoint));
  if (!file.startsWith(`${folder}${sep}`))
    return report(metadata, 'entrypoint', 'it leads outside its folder');
  const isWritten = await isFile(file);
  if (!isWritten && (template ?? undefined) === undefined) {
    if (!(await isFile(metadata))) return undefined;
    return report(metadata, 'entrypoint', `${file} is missing, and no template says how to make it`);
  }
  const made = isWritten ? undefined : makePage(template, config);
  if (made !== undefined && 'problem' in made) return report(metadata, made.field, made.problem);
  const icons = await reader.read(about['icons'], { file: metadata, folder });
  return {
    name: String(name),
    uri: `ui://${server}/${encodeURIComponent(String(name))}`,
    mimeType: PAGE_TYPE,
    provider: PAGE_PROVIDER,
    file: isWritten ? file : metadata,
    html: made?.html,
    shown: {
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      ...(isObject(meta) && { _meta: { ui: meta } }),
      ...(icons !== undefined && { icons }),
    },
  };
}

/** What the addresses of pages start with: the name in `server.d/server.meta.json`, else that of the folder. */
async function serverName(project: string): Promise<string> {
  const about = await readObject(join(project, 'server.d', 'server.meta.json'), () => undefined);
  const { name } = about ?? {};
  return typeof name === 'string' && /^[\w.-]+$/.test(name) ? name : basename(project);
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}
