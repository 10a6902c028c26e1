import { join } from 'node:path';
import { RootwardError, type Scope, type Workspace } from '@rootward/core';
import type { ServerDefinition, ServerSandbox } from '@rootward/lsp';
import { silentLogger } from '@rootward/core/platform';
import { serverSandbox } from '../../../serve/create-server.js';
import { prepareServer, workspaceWithoutClient } from '../../../serve/prepare-server.js';
import type { Environment } from '../../../settings/from-environment.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import type { Finding } from '../../output/show-findings.js';
import type { Status, Terminal } from '../../output/terminal.js';

const TOPIC = 'language servers';

/** Starts every language server that a question about code would, in the sandbox it would run in, and ends it. */
export async function tryServers(
  settings: LoadedSettings,
  { start }: Terminal,
  status: Status,
): Promise<readonly Finding[]> {
  const { findServer, readServerSettings } = await import('@rootward/lsp');
  let setup;
  try {
    setup = await prepareServer({ ...settings, audit: undefined }, start, silentLogger);
  } catch (error) {
    // Already reported with the sources.
    if (error instanceof RootwardError) return [];
    throw error;
  }
  using workspace = workspaceWithoutClient(setup);
  const scope = workspace.scope();
  if (scope.roots.length === 0) {
    return [{ topic: TOPIC, state: 'note', detail: 'not started: there is no root to start them in' }];
  }
  const { trustWorkspaceServers } = settings;
  const surroundings = { environment: start.environment, roots: scope.roots, trustWorkspaceServers };
  const findings: Finding[] = [];
  for (const definition of readServerSettings(settings.languageServers)) {
    if ((await findServer(definition, surroundings)).kind !== 'found') continue;
    status.say(`Starting ${definition.name}`);
    findings.push(
      await tryServer(definition, {
        workspace,
        scope,
        environment: start.environment,
        sandbox: serverSandbox(setup),
        trustWorkspaceServers,
      }),
    );
  }
  setup.sandboxes.dispose();
  return findings;
}

interface Trial {
  readonly workspace: Workspace;
  readonly scope: Scope;
  readonly environment: Environment;
  readonly sandbox: ServerSandbox;
  readonly trustWorkspaceServers: boolean;
}

/** The file it is asked about need not exist: only its name says which server is meant. */
async function tryServer(definition: ServerDefinition, trial: Trial): Promise<Finding> {
  const { defaultPoolLimits, LanguageServers, RootwardLspError } = await import('@rootward/lsp');
  const { workspace, scope, ...options } = trial;
  const { initializeTimeout } = defaultPoolLimits;
  await using servers = new LanguageServers(workspace, {
    ...options,
    servers: [definition],
    limits: { startWait: initializeTimeout },
  });
  const begun = Date.now();
  try {
    const [ending = ''] = Object.keys(definition.extensions);
    const folder = scope.roots.find(({ kind }) => kind === 'directory')?.path ?? '';
    await servers.ask(scope, join(folder, `doctor${ending}`), () => Promise.resolve());
    const sandbox = servers.status()[0]?.sandbox ?? 'off';
    const seconds = ((Date.now() - begun) / 1000).toFixed(1);
    return {
      topic: TOPIC,
      state: 'fine',
      detail: `${definition.name} answers after ${seconds} s (sandbox: ${sandbox})`,
    };
  } catch (error) {
    if (!(error instanceof RootwardLspError) && !(error instanceof RootwardError)) throw error;
    return {
      topic: TOPIC,
      state: 'problem',
      detail: error.message,
      fix: error.instruction ?? 'Run its command in a shell to see what it says',
    };
  }
}
