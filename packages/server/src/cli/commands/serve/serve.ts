import { readinessLine } from '../../../serve/readiness.js';
import { serveStdio } from '../../../serve/serve-stdio.js';
import type { ServerSetup } from '../../../serve/prepare-server.js';
import { ownCommandLine } from '../../install/own-program.js';
import { FINE, displayFor } from '../../output/terminal.js';
import type { Terminal } from '../../output/terminal.js';

/** Nothing of it is loaded where nobody asks for it. */
async function withWrapped(setup: ServerSetup, start: Terminal['start']): Promise<ServerSetup> {
  if (setup.settings.wrap === undefined) return setup;
  const { openWrapped } = await import('../../../wrapped/open-wrapped.js');
  return { ...setup, wrapped: await openWrapped(setup.settings, start, setup) };
}

/** Starts serving. Undefined while the process lives on; an exit code where there is nobody to serve. */
export async function runServe(setup: ServerSetup, terminal: Terminal): Promise<number | undefined> {
  const { http, logLevel } = setup.settings;
  const own = (): string => ownCommandLine(terminal.start);
  if (http === undefined) {
    if (terminal.interactive) {
      const { explainStdio } = await import('./explain-start.js');
      terminal.out(explainStdio(setup, displayFor(terminal, 'out'), own()));
      return FINE;
    }
    serveStdio(await withWrapped(setup, terminal.start));
    await showPage(setup, terminal);
    return undefined;
  }
  const { serveHttp } = await import('../../../serve/serve-http.js');
  const place = await serveHttp(await withWrapped(setup, terminal.start), http);
  await showPage(setup, terminal);
  const { explainHttp } = await import('./explain-start.js');
  terminal.out(explainHttp(setup, place, displayFor(terminal, 'out'), own()));
  if (logLevel !== 'silent') terminal.err(readinessLine(place.url, setup.sources));
  return undefined;
}

async function showPage({ settings }: ServerSetup, terminal: Terminal): Promise<void> {
  if (!settings.ui) return;
  const { showOwnPage } = await import('../ui.js');
  await showOwnPage(terminal);
}
