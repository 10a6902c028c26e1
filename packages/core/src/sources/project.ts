import { posix, win32 } from 'node:path';
import { RootwardError } from '../error.js';
import { rejectionError } from './fail-fast.js';
import { absent, describeNamed, readPaths, type RootSource, type SourceContext } from './root-source.js';

/** `--project DIR` or `MCPBASH_PROJECT_ROOT`: the tools project itself. */
export const projectSource: RootSource = {
  source: 'project',
  async read(context) {
    const origin = projectOrigin(context);
    if (origin === undefined) return absent('project', `${context.origins.project ?? '--project'} not given`);
    const base = origin.inherited ? undefined : context.directory;
    const list = await readPaths('project', [{ path: origin.path }], context, base);
    const fault = list.rejected[0];
    // Tools may be kept outside the directories they may touch; then their folder is not a root.
    if (fault !== undefined && fault.reason !== 'outside-ceiling') throw rejectionError(fault, origin.name);
    if (list.roots.some((root) => root.kind === 'file')) {
      throw new RootwardError(
        'not-a-directory',
        `Cannot use "${origin.path}" as a tools project: it is a file (given by ${origin.name})`,
        { path: origin.path },
      );
    }
    return { ...list, source: 'project', given: true, detail: `${origin.name} ${describeNamed(list)}` };
  },
};

/** The directory of the tools project, not yet canonical; undefined when there is none that relative paths could use. */
export function projectDirectory(context: SourceContext): string | undefined {
  const origin = projectOrigin(context);
  if (origin === undefined || isAbsolute(origin.path, context)) return origin?.path;
  return !origin.inherited && context.directory !== undefined
    ? `${context.directory}/${origin.path}`
    : undefined;
}

interface ProjectOrigin {
  readonly name: string;
  readonly path: string;
  /** It comes from the environment of the process, where relative paths have no meaning. */
  readonly inherited: boolean;
}

function projectOrigin({ project, origins, environment }: SourceContext): ProjectOrigin | undefined {
  if (project !== undefined) {
    return { name: origins.project ?? '--project', path: project, inherited: false };
  }
  const path = environment['MCPBASH_PROJECT_ROOT'];
  return path === undefined || path === ''
    ? undefined
    : { name: 'MCPBASH_PROJECT_ROOT', path, inherited: true };
}

function isAbsolute(path: string, { style }: SourceContext): boolean {
  return (style === 'windows' ? win32 : posix).isAbsolute(path);
}
