import { dirname, join, sep } from 'node:path';
import { discoverTools } from '../catalogue/discover-tools.js';
import type { ExecutableTool, ToolProblem } from '../catalogue/executable-tool.js';
import { discoverContent } from './discover-content.js';
import { PAGE_PROVIDER, PAGES_FOLDER } from './pages.js';
import type { ProjectContent } from './project-content.js';
import { readRegistrations, type Registrations } from './registrations.js';

/** Everything a tools project offers. */
export interface Discovery extends ProjectContent {
  /** By name. */
  readonly tools: readonly ExecutableTool[];
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
  const content = await discoverContent(project, registrations);
  return {
    ...content,
    tools: tools.map((tool) => withPage(tool, content)),
    problems: [...(registrations?.problems ?? []), ...problems, ...content.problems],
  };
}

/** A page in the folder of a tool belongs to it. */
function withPage(tool: ExecutableTool, { resources }: ProjectContent): ExecutableTool {
  const folder = join(dirname(tool.file), PAGES_FOLDER) + sep;
  const page = resources.find(
    (each) => each.provider === PAGE_PROVIDER && each.file?.startsWith(folder) === true,
  );
  return page === undefined ? tool : { ...tool, page: page.uri };
}
