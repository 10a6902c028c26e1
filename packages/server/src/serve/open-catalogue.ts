import { realpathSync } from 'node:fs';
import type { Logger } from '@rootward/core';
import type { Settings } from '../settings/settings.js';
import { toolsets } from '../tools/toolsets.js';
import { findWritableByOthers } from '../exec/project/writable-by-others.js';
import { ToolCatalogue } from '../exec/project/tool-catalogue.js';
import { runRegisterHook } from '../exec/project/run-register-hook.js';
import { inheritedVariables, type Variables } from '../exec/run/tool-environment.js';

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

/** The executables a server with these settings has; undefined without a tools project, or without its toolset. */
export async function openCatalogue(
  {
    project,
    toolsets: wanted,
    registerHook,
    toolEnvironment,
  }: Pick<Settings, 'project' | 'toolsets' | 'registerHook' | 'toolEnvironment'>,
  environment: Variables,
  log: Logger,
): Promise<ToolCatalogue | undefined> {
  const folder = projectFolder(project, environment);
  if (folder === undefined || wanted?.includes('exec') === false) return undefined;
  const hook =
    (registerHook ?? environment['MCPBASH_ALLOW_PROJECT_HOOKS'] === 'true')
      ? await runRegisterHook(folder, inheritedVariables(environment, toolEnvironment))
      : undefined;
  const catalogue = await ToolCatalogue.open({ project: folder, reservedNames: ownNames(), hook, log });
  for (const path of findWritableByOthers(folder, catalogue.current())) {
    log.warn('every user of this machine can change what runs from here; chmod o-w keeps it yours', { path });
  }
  return catalogue;
}

function ownNames(): ReadonlySet<string> {
  return new Set(
    Object.values(toolsets)
      .flat()
      .map(({ name }) => name),
  );
}
