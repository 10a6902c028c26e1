import { TemporaryFiles, type Logger, type OperatorLimits, type Sources } from '@rootward/core';
import type { StartContext } from '../../../serve/prepare-sources.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import type { Containment } from '../../../wrapped/contain.js';

/** The sandbox of a wrapped server; undefined where it runs without one. Nothing of it is loaded where nobody asks for it. */
export async function openSandbox(
  settings: LoadedSettings,
  start: StartContext,
  { sources, limits }: { readonly sources: Sources; readonly limits: OperatorLimits },
  log: Logger,
): Promise<Containment | undefined> {
  const { level } = settings.sandbox;
  if (level === undefined || level === 'off') return undefined;
  const { openContainment } = await import('../../../wrapped/contain.js');
  const { prepareFence } = await import('../../../serve/prepare-fence.js');
  const fence = prepareFence(settings, start, log, { limits, temporaries: new TemporaryFiles() });
  process.once('exit', () => fence.sandboxes.dispose());
  return openContainment({ ...start, ...fence, level, settings: settings.sandbox, sources });
}
