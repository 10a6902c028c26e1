import { readinessLine } from '../../../serve/readiness.js';
import { serveStdio } from '../../../serve/serve-stdio.js';
import type { Serving } from '../../../serve/prepare-server.js';
import { FINE, screenFor } from '../../output/terminal.js';
import type { Terminal } from '../../output/terminal.js';

/** Starts serving. Undefined while the process lives on; an exit code where there is nobody to serve. */
export async function runServe(serving: Serving, terminal: Terminal): Promise<number | undefined> {
  const { http, logLevel } = serving.settings;
  if (http === undefined) {
    if (terminal.interactive) {
      const { explainStdio } = await import('./explain-start.js');
      terminal.out(explainStdio(serving, screenFor(terminal, 'out')));
      return FINE;
    }
    serveStdio(serving);
    return undefined;
  }
  const { serveHttp } = await import('../../../serve/serve-http.js');
  const place = await serveHttp(serving, http);
  const { explainHttp } = await import('./explain-start.js');
  terminal.out(explainHttp(serving, place, screenFor(terminal, 'out')));
  if (logLevel !== 'silent') terminal.err(readinessLine(place.url, serving.sources));
  return undefined;
}
