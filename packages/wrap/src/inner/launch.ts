import type { StdioOptions } from 'node:child_process';
import { delimiter } from 'node:path';
import { isHomeOrAbove, pathOutside } from '@rootward/core/platform';
import { RootwardWrapError } from '../error.js';

/** How to start the inner server, with placeholders: `{root}`, `{roots}`, `{roots:json}` and `{project}`. */
export interface CommandTemplate {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables to set on top of `environment`; placeholders are filled in here as well. */
  readonly set: Readonly<Record<string, string>>;
  /** What the inner server inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A command as it is started: everything filled in. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A command as it is run, such as inside a sandbox. */
export interface Run extends Launch {
  /** Stdin, stdout and stderr are pipes; what follows is for the sandbox. */
  readonly stdio?: StdioOptions;
  /** Called once the process has been spawned, and when it has ended. */
  readonly spawned?: () => void;
  readonly ended?: () => void;
}

/** What placeholders stand for. */
export interface Places {
  /** Where the server starts, and `{root}`. */
  readonly directory: string;
  /** `{roots}`: paths, in order. `{roots:json}`: the same as a JSON list. */
  readonly roots: readonly string[];
  /** `{project}`: a name. */
  readonly project: string;
}

const PLACEHOLDER = /\{(root|roots|roots:json|project)\}/g;

/**
 * Fills in the placeholders. An argument with `{roots}` is repeated for each root; in a variable, paths are joined. Throws
 * `refused` where a folder has the separator of such a list in its path: it would become two entries.
 */
export function fillIn(template: CommandTemplate, places: Places): Launch {
  const { roots } = places;
  const args = template.args.flatMap((arg) =>
    arg.includes('{roots}') ? roots.map((root) => fill(arg, places, root)) : [fill(arg, places, '')],
  );
  const set = Object.entries(template.set).map(([name, value]) => [name, fillVariable(name, value, places)]);
  return {
    command: template.command,
    args,
    directory: places.directory,
    // A shell believes PWD before it looks where it is.
    environment: {
      ...template.environment,
      ...pathFor(template.environment['PATH'], roots),
      PWD: places.directory,
      ...Object.fromEntries(set),
    },
  };
}

/** Programs that the server starts by name must not come from its roots. The home directory has those of the user. */
function pathFor(path: string | undefined, roots: readonly string[]): { readonly PATH?: string | undefined } {
  if (path === undefined) return {};
  const folders = roots.filter((root) => !isHomeOrAbove(root)).map((root) => ({ path: root }));
  return { PATH: pathOutside(path, folders) };
}

/** Whether two launches start the same program at the same place. */
export function isSameLaunch(one: Launch, other: Launch): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function fillVariable(name: string, text: string, places: Places): string {
  const { directory, roots, project } = places;
  const isList = text.includes('{roots}') || text.replaceAll(PLACEHOLDER, '').includes(delimiter);
  const used = [
    ...(text.includes('{roots}') ? roots : []),
    ...(text.includes('{root}') ? [directory] : []),
    ...(text.includes('{project}') ? [project] : []),
  ];
  const split = isList ? used.find((entry) => entry.includes(delimiter)) : undefined;
  if (split === undefined) return fill(text, places, roots.join(delimiter));
  throw new RootwardWrapError(
    'refused',
    `the folder ${JSON.stringify(split)} cannot be put into the list of the variable ${name}: "${delimiter}" separates its entries`,
    {
      instruction: `Ask the user to rename the folder, or to set ${name} with {roots:json} if the server reads JSON`,
    },
  );
}

function fill(text: string, { directory, project, roots: paths }: Places, roots: string): string {
  const values: Readonly<Record<string, string>> = {
    root: directory,
    project,
    roots,
    'roots:json': JSON.stringify(paths),
  };
  return text.replaceAll(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}
