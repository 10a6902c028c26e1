import { toolsets } from '../../../tools/toolsets.js';

const PATH_NAMES: ReadonlySet<string> = new Set(['path', 'paths', 'source', 'destination', 'file', 'root']);

/** The paths among the arguments of the tools that work on files, for hooks that can only change arguments. */
export function pathArguments(): Readonly<Record<string, readonly string[]>> {
  const tools = [...toolsets.files, ...toolsets.code];
  return Object.fromEntries(
    tools
      .map(
        (tool) => [tool.name, Object.keys(tool.input().shape).filter((key) => PATH_NAMES.has(key))] as const,
      )
      .filter(([, names]) => names.length > 0),
  );
}

/**
 * The part that both scripts share, as JavaScript of its own: they run inside the client, without this package.
 *
 * A relative path is made absolute where the file is there, or where the folder is a linked worktree: that is the tree
 * the caller means. In other cases the server decides, which may know a second root that has the file.
 */
export function absolutePathsScript(): string {
  return `const PATHS = ${JSON.stringify(pathArguments())};

function isLinkedWorktree(folder) {
  for (let at = folder; ; at = path.dirname(at)) {
    const found = statSync(path.join(at, '.git'), { throwIfNoEntry: false });
    if (found !== undefined) return found.isFile();
    if (path.dirname(at) === at) return false;
  }
}

function absolute(value, folder) {
  if (typeof value !== 'string' || value === '' || path.isAbsolute(value)) return value;
  if (/^(?:~|file:|\\$\\{)/i.test(value)) return value;
  const found = path.resolve(folder, value);
  return existsSync(found) || isLinkedWorktree(folder) ? found : value;
}

function absolutePaths(tool, args, folder) {
  const changed = {};
  for (const name of PATHS[tool] ?? []) {
    const value = args[name];
    const result = Array.isArray(value) ? value.map((item) => absolute(item, folder)) : absolute(value, folder);
    if (JSON.stringify(result) !== JSON.stringify(value)) changed[name] = result;
  }
  return changed;
}
`;
}
