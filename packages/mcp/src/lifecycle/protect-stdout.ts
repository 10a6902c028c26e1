import { Console } from 'node:console';
import { disposable } from '@rootward/core/platform';

/** The console methods that write to stdout, which belongs to the protocol alone. */
const STDOUT_METHODS = ['log', 'info', 'debug', 'dir', 'dirxml', 'table'] as const;

/**
 * Sends what handlers and libraries print with `console` to stderr: one stray line on stdout is a broken message
 * to the client. Does NOT catch writes to `process.stdout` itself.
 */
export function protectStdout(): Disposable {
  const { console } = globalThis;
  const stderrConsole = new Console(process.stderr, process.stderr);
  const originals = STDOUT_METHODS.map((name) => [name, console[name]] as const);
  for (const name of STDOUT_METHODS) console[name] = stderrConsole[name].bind(stderrConsole);
  return disposable(() => {
    for (const [name, original] of originals) console[name] = original;
  });
}
