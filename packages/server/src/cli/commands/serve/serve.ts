import { readinessLine } from '../../../serve/readiness.js';
import { serveStdio } from '../../../serve/serve-stdio.js';
import type { ServerSetup } from '../../../serve/prepare-server.js';
import { ownCommandHere } from '../../install/own-program.js';
import { FINE, displayFor, type Terminal } from '../../output/terminal.js';

/** Nothing of it is loaded where nobody asks for it. */
async function withWrapped(setup: ServerSetup, start: Terminal['start']): Promise<ServerSetup> {
  if (setup.settings.wrap === undefined) return setup;
  const { openWrapped } = await import('../../../wrapped/open-wrapped.js');
  return { ...setup, wrapped: await openWrapped(setup.settings, start, setup) };
}

/** The same for what goes to OpenTelemetry. */
async function withTelemetry(
  setup: ServerSetup,
  transport: 'stdio' | 'http',
): Promise<{ readonly ready: ServerSetup; readonly close: () => Promise<void> }> {
  const { environment, events, log, settings } = setup;
  const { openTelemetry } = await import('../../../telemetry/open-telemetry.js');
  const opened = await openTelemetry(environment, { transport, paths: settings.telemetryPaths }, log);
  if (opened === undefined) return { ready: setup, close: () => Promise.resolve() };
  events.add(opened.telemetry.outlet);
  return { ready: { ...setup, telemetry: opened.telemetry }, close: opened.close };
}

/** Starts serving. Undefined while the process lives on; an exit code where there is nobody to serve. */
export async function runServe(
  setup: ServerSetup,
  terminal: Terminal,
  { verbose }: { readonly verbose: boolean },
): Promise<number | undefined> {
  const { http, logLevel } = setup.settings;
  const how = () => ({ display: displayFor(terminal, 'out'), own: ownCommandHere(terminal.start), verbose });
  if (http === undefined) {
    if (terminal.interactive) {
      const { explainStdio } = await import('./explain-start.js');
      terminal.out(explainStdio(setup, how()));
      return FINE;
    }
    const { ready, close } = await withTelemetry(await withWrapped(setup, terminal.start), 'stdio');
    const stdio = await serveStdio(ready);
    stdio.onShutdown(close);
    await showPage(setup, terminal);
    return undefined;
  }
  const { serveHttp } = await import('../../../serve/serve-http.js');
  const { ready, close } = await withTelemetry(await withWrapped(setup, terminal.start), 'http');
  const place = await serveHttp(ready, http, close);
  await showPage(setup, terminal);
  const { explainHttp } = await import('./explain-start.js');
  terminal.out(explainHttp(setup, place, how()));
  if (logLevel !== 'silent') terminal.err(readinessLine(place.url, setup.sources));
  return undefined;
}

async function showPage({ settings }: ServerSetup, terminal: Terminal): Promise<void> {
  if (!settings.ui) return;
  const { showOwnPage } = await import('../ui.js');
  await showOwnPage(terminal);
}
