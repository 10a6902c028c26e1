import { realpathSync } from 'node:fs';
import type { Settings } from '../../settings/settings.js';
import type { Variables } from '../../exec/run/tool-environment.js';

/** The tools project an operator named: its canonical folder; undefined where there is none. */
export function projectFolder(project: string | undefined, environment: Variables): string | undefined {
  const named = project ?? environment['MCPBASH_PROJECT_ROOT'];
  if (named === undefined || named === '') return undefined;
  try {
    return realpathSync(named);
  } catch {
    // Whoever reads the sources has said so already.
    return undefined;
  }
}

/** The same, where a server with these settings offers what is in it. */
export function servedProject(
  { project, toolsets }: Pick<Settings, 'project' | 'toolsets'>,
  environment: Variables,
): string | undefined {
  return toolsets?.includes('exec') === false ? undefined : projectFolder(project, environment);
}
