import { followWorkingDirectory, type Workspace } from '@rootward/core';
import { ProcessGuard, serveWorkspaceStdio, type GuardedStdio } from '@rootward/mcp';
import { createServerFactory } from './create-server.js';
import { beforehand, later } from './beforehand.js';
import { readinessLine } from './readiness.js';
import type { ServerSetup } from './prepare-server.js';
import { showToPages } from './show-to-pages.js';

/** Serves one client over stdin and stdout until it leaves. */
export async function serveStdio(setup: ServerSetup): Promise<GuardedStdio> {
  const { settings, sources, log, audit, temporaries } = setup;
  const guard = new ProcessGuard();
  process.once('exit', () => temporaries.discard());
  if (audit !== undefined) guard.onShutdown(() => audit.dispose());
  const factory = await createServerFactory(setup, {
    children: guard.children,
    onShutdown: (hook) => void guard.onShutdown(hook),
    drainWith: (drain) => guard.drainWith(drain),
    onWorkspace: (workspace) => {
      noteReplacement(workspace, setup);
      beforehand(() => workspace.scope());
      if (settings.chdir) workspace.follow(followWorkingDirectory((directory) => process.chdir(directory)));
    },
  });
  const stdio = serveWorkspaceStdio(factory, {
    guard,
    onerror: (error) => log.debug('message not served', { error: error.message }),
  });
  // It needs node:crypto, as do names of projects: 1.5 ms that a start does without.
  later(() => setup.prepared.session);
  showToPages(setup, 'stdio', guard.children, (hook) => void guard.onShutdown(hook));
  if (settings.logLevel !== 'silent') process.stderr.write(readinessLine('stdio', sources));
  return stdio;
}

/** Whoever named folders should be able to find out why others are served. */
function noteReplacement(workspace: Workspace, { log, settings }: ServerSetup): void {
  if (settings.logLevel !== 'info' && settings.logLevel !== 'debug') return;
  workspace.onDidChange(({ snapshot }) => {
    const replaced = snapshot.trace
      .filter(({ verdict }) => verdict === 'replaced')
      .map(({ source }) => source);
    if (replaced.length > 0) log.info('client roots replace those of the operator', { sources: replaced });
  });
}
