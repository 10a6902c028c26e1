import { toPlaces, type ProtectedPlace } from './place.js';

/** What the operator of one server steers it with. */
export interface OperatorFiles {
  /** Places of configuration files. One that is not there yet counts: it would steer the next start. */
  readonly configuration: readonly string[];
  /** The folders of tools and of their settings, and what links in them lead to. */
  readonly tools: readonly string[];
  readonly audit: string | undefined;
  /** The package of the running program, with the caches of its compilation. */
  readonly program: string | undefined;
  /** The name it was called by: most likely a link, such as `node_modules/.bin/rootward`. */
  readonly command?: string | undefined;
}

function fixed(reason: string, ...paths: readonly (string | undefined)[]): readonly ProtectedPlace[] {
  return toPlaces(
    { where: 'at', protection: 'fixed', kind: 'rules', reason, unlessNamed: false },
    paths.filter((path) => path !== undefined),
  );
}

/** The files of one operator, which only the operator changes. */
export function operatorPlaces(files: OperatorFiles): readonly ProtectedPlace[] {
  const { configuration, tools, audit, program, command } = files;
  return [
    ...fixed('it configures this server', ...configuration),
    ...fixed('this server runs tools from it', ...tools),
    ...fixed(
      'the audit trail is kept there',
      ...(audit === undefined ? [] : [audit, `${audit}.1`, `${audit}.lock`]),
    ),
    ...fixed('this server runs from it', program, command),
  ];
}
