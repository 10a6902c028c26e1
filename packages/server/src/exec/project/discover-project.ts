import { dirname, join, sep } from 'node:path';
import { discoverTools } from '../catalogue/discover-tools.js';
import type { ExecutableTool, ToolProblem } from '../catalogue/executable-tool.js';
import { discoverContent } from './discover-content.js';
import { IconReader } from './icons.js';
import { PAGE_PROVIDER, PAGES_FOLDER } from './pages.js';
import type { ProjectContent } from './project-content.js';
import type { Report } from './read-object.js';
import { readRegistrations, type Registrations } from './registrations.js';

/** Everything a tools project offers. */
export interface Discovery extends ProjectContent {
  /** By name. */
  readonly tools: readonly ExecutableTool[];
  /** Files that are shown as icons. */
  readonly iconFiles: readonly string[];
  readonly problems: readonly ToolProblem[];
}

export interface DiscoverOptions {
  /** Names that the server itself uses. */
  readonly reservedNames?: ReadonlySet<string> | undefined;
  /** What `server.d/register.sh` printed, where the operator lets it run. `register.json` takes its place. */
  readonly hook?: Registrations | undefined;
}

/** Looks through a whole tools project. */
export async function discoverProject(
  project: string,
  { reservedNames, hook }: DiscoverOptions = {},
): Promise<Discovery> {
  const registrations = (await readRegistrations(project)) ?? hook;
  const { tools, problems } = await discoverTools(project, {
    reservedNames,
    registered: registrations?.entries.tools,
    registeredIn: registrations?.file,
  });
  const found: ToolProblem[] = [];
  const report: Report = (file, field, message) => {
    found.push({ file, field, message });
    return undefined;
  };
  const icons = new IconReader(project, report);
  const content = await discoverContent(project, registrations, { icons, report });
  return {
    ...content,
    tools: await Promise.all(tools.map((tool) => withIcons(withPage(tool, content), icons))),
    iconFiles: [...icons.files].sort(),
    problems: [...(registrations?.problems ?? []), ...problems, ...found],
  };
}

async function withIcons(tool: ExecutableTool, reader: IconReader): Promise<ExecutableTool> {
  const { metadata, metadataFile: file } = tool;
  const icons = await reader.read(metadata.written['icons'], { file, folder: dirname(file) });
  return icons === undefined ? tool : { ...tool, icons };
}

/** A page in the folder of a tool belongs to it. */
function withPage(tool: ExecutableTool, { resources }: ProjectContent): ExecutableTool {
  const folder = join(dirname(tool.file), PAGES_FOLDER) + sep;
  const page = resources.find(
    (each) => each.provider === PAGE_PROVIDER && each.file?.startsWith(folder) === true,
  );
  return page === undefined ? tool : { ...tool, page: page.uri };
}
