import type { Environment } from '../../settings/from-environment.js';

/** What text is shown on. */
export interface Display {
  /** How wide it is; undefined where nobody watches, as in a pipe or a file. */
  readonly columns: number | undefined;
  readonly colors: boolean;
  /** A line that was written can be overwritten. */
  readonly live: boolean;
}

export const NO_DISPLAY: Display = { columns: undefined, colors: false, live: false };

/** Some terminals do not know how wide they are. */
const USUAL_COLUMNS = 80;

export function displayOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  environment: Environment,
): Display {
  const watched = stream.isTTY === true;
  const capable = watched && environment['TERM'] !== 'dumb';
  return {
    columns: watched ? stream.columns || USUAL_COLUMNS : undefined,
    colors: forcedColors(environment) ?? capable,
    live: capable,
  };
}

/** An empty variable counts as not set (no-color.org, force-color.org). If both are set, FORCE_COLOR wins, as in Node. */
function forcedColors(environment: Environment): boolean | undefined {
  const force = environment['FORCE_COLOR'] ?? '';
  if (force !== '') return force !== '0' && force !== 'false';
  return (environment['NO_COLOR'] ?? '') === '' ? undefined : false;
}
