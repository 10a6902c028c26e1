import type { Logger } from '@rootward/core';
import type { Settings } from '../../settings/settings.js';
import { toolsets } from '../../tools/toolsets.js';
import { findWritableByOthers } from '../../exec/project/writable-by-others.js';
import { ToolCatalogue } from '../../exec/project/tool-catalogue.js';
import { runRegisterHook } from '../../exec/project/run-register-hook.js';
import { inheritedVariables, type Variables } from '../../exec/run/tool-environment.js';

/** The executables of the tools project in this folder. */
export async function openCatalogue(
  folder: string,
  { registerHook, toolEnvironment }: Pick<Settings, 'registerHook' | 'toolEnvironment'>,
  environment: Variables,
  log: Logger,
): Promise<ToolCatalogue> {
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
