import { applyInstall, applyUninstall, type Applied } from '../install/apply.js';
import { SCOPES, type InstallScope } from '../install/clients/scopes.js';
import { clientPlaces, type ClientPlaces } from '../install/clients/client-places.js';
import { scopesOf, type KnownClient, type StdioEntry } from '../install/clients/known-client.js';
import { findClient } from '../install/clients/known-clients.js';
import { ownCommandHere } from '../install/own-program.js';
import { partsOf } from '../install/parts.js';
import { planInstall, planUninstall, type FileChange, type PlanContext } from '../install/plan.js';
import { Receipts } from '../install/receipts.js';
import { missingFolders } from '../install/render-entry.js';
import { showChanges } from '../install/show-changes.js';
import { stateDirectory } from '@rootward/core/platform';
import { RootwardServerError } from '../../error.js';
import { confirm } from '../output/confirm.js';
import { painter } from '../output/paint.js';
import { FAILED, FINE, printJson, displayFor, type Terminal } from '../output/terminal.js';
import { entryFor, type CommandWords } from './config.js';

export interface InstallFlags {
  readonly client?: string;
  readonly scope?: string;
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Writes the server, and the hook where the client has one, into the configuration of a client. */
export async function runInstall(
  words: CommandWords,
  flags: InstallFlags,
  terminal: Terminal,
): Promise<number> {
  const client = findClient(flags.client, 'install');
  const scope = readScope(flags.scope) ?? (scopesOf(client).includes('user') ? 'user' : 'project');
  const server = await entryFor(words, flags.name, terminal.start);
  const { places, context } = surroundings(client, server, scope, terminal);
  const changes = await planInstall(await partsOf(client, server, scope, places), context);
  const note = missingFolders(client, server, installCommand(flags, terminal));
  if (note !== undefined) terminal.err(`${painter(displayFor(terminal, 'err'))('doubtful', note)}\n`);
  const agreed = await agree(changes, flags, terminal);
  if (agreed !== undefined) return agreed;
  const applied = await applyInstall(changes, context);
  report(applied, changes, client, flags, terminal);
  return FINE;
}

/** As it was typed, without the client, the server and the folders. */
function installCommand({ scope, dryRun, yes }: InstallFlags, { start }: Terminal): string {
  const options = [
    ...(scope === undefined ? [] : ['--scope', scope]),
    ...(dryRun === true ? ['--dry-run'] : []),
    ...(yes === true ? ['--yes'] : []),
  ];
  return [ownCommandHere(start), 'install', ...options].join(' ');
}

/** Takes out what `install` wrote: of one scope, or of all the client has. */
export async function runUninstall(flags: InstallFlags, terminal: Terminal): Promise<number> {
  const client = findClient(flags.client, 'uninstall');
  const named = readScope(flags.scope);
  const scopes = named === undefined ? scopesOf(client) : [named];
  const server = await entryFor({ directories: [], wrapped: [] }, flags.name, terminal.start);
  const plans: { readonly context: PlanContext; readonly changes: readonly FileChange[] }[] = [];
  const seen = new Set<string>();
  for (const scope of scopes) {
    const { places, context } = surroundings(client, server, scope, terminal);
    const parts = await partsOf(client, server, scope, places);
    // In the home directory both scopes may mean the same file.
    const fresh = parts.filter(({ file }) => !seen.has(file));
    for (const { file } of parts) seen.add(file);
    plans.push({ context, changes: await planUninstall(fresh, context) });
  }
  const changes = plans.flatMap((plan) => plan.changes);
  const agreed = await agree(changes, flags, terminal);
  if (agreed !== undefined) return agreed;
  const applied: Applied[] = [];
  for (const plan of plans) applied.push(...(await applyUninstall(plan.changes, plan.context)));
  report(applied, changes, client, flags, terminal);
  return FINE;
}

function surroundings(
  client: KnownClient,
  server: StdioEntry,
  scope: InstallScope,
  { start }: Terminal,
): { readonly places: ClientPlaces; readonly context: PlanContext } {
  const receipts = new Receipts(stateDirectory(start.environment, start.home));
  return {
    places: clientPlaces(start),
    context: { client: client.id, server: server.name, scope, project: start.directory, receipts },
  };
}

function readScope(text: string | undefined): InstallScope | undefined {
  if (text === undefined) return undefined;
  const scope = SCOPES.find((known) => known === text);
  if (scope !== undefined) return scope;
  throw new RootwardServerError(
    'usage',
    `Cannot use ${JSON.stringify(text)} as --scope: expected ${SCOPES.join(' or ')}`,
  );
}

/** Shows what would change. Returns the exit code where nothing is to be written. */
async function agree(
  changes: readonly FileChange[],
  { dryRun, yes, json }: InstallFlags,
  terminal: Terminal,
): Promise<number | undefined> {
  const isNothing = changes.every(({ before, after }) => before === after);
  if (isNothing && dryRun !== true) return undefined;
  if (json !== true) {
    const paint = painter(displayFor(terminal, 'out'));
    terminal.out(isNothing ? 'Nothing to change.\n' : showChanges(changes, paint));
  }
  if (dryRun === true) {
    if (json === true)
      printJson(terminal, {
        files: changes.map(({ file, before, after }) => ({ file, action: actionOf(before, after) })),
      });
    return FINE;
  }
  return yes === true || (await confirm('Write this?', terminal)) ? undefined : FAILED;
}

function actionOf(before: string | undefined, after: string | undefined): string {
  if (before === after) return 'unchanged';
  return before === undefined ? 'created' : after === undefined ? 'removed' : 'changed';
}

const DONE = { created: 'Created', changed: 'Changed', removed: 'Removed' } as const;

function report(
  applied: readonly Applied[],
  changes: readonly FileChange[],
  client: KnownClient,
  { json }: InstallFlags,
  terminal: Terminal,
): void {
  if (json === true) {
    const unchanged = changes
      .filter(({ before, after }) => before === after)
      .map(({ file }) => ({ file, action: 'unchanged' }));
    printJson(terminal, { client: client.id, files: [...applied, ...unchanged] });
    return;
  }
  const paint = painter(displayFor(terminal, 'out'));
  if (applied.length === 0) terminal.out('Nothing to change.\n');
  for (const { file, action, copy } of applied) {
    const kept = copy === undefined ? '' : paint('quiet', ` (the former file: ${copy})`);
    terminal.out(`${paint('good', DONE[action])} ${file}${kept}\n`);
  }
}
