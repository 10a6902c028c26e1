import { canonicalPlaces, protectedPlaces, type Logger, type Sources } from '@rootward/core';
import { principalDigest } from '@rootward/mcp/host';
import type { WatchCall } from '@rootward/wrap';
import { ProjectSettingsStore } from '../guidance/settings-store.js';
import { historyOpener, type User } from '../history/open-history.js';
import { watchProgram } from '../history/watch-program.js';
import { userDirectory } from '@rootward/core/platform';
import type { Settings } from '../settings/settings.js';
import { ScopeMaker } from '../settings/workspace-rules.js';

const MAX_NAME = 80;

/** Keeps what a wrapped server changes in the roots; undefined where the operator did not ask for it. */
export function callWatch(
  settings: Settings,
  user: User,
  { fence }: Sources,
  log: Logger,
): WatchCall | undefined {
  const open = settings.historyExec ? historyOpener(settings, user, log) : undefined;
  if (open === undefined) return undefined;
  const { deny, denyAbsolute } = settings;
  const rules = { deny, denyAbsolute, places: Object.freeze(canonicalPlaces(protectedPlaces(user))) };
  const projects = new ProjectSettingsStore(userDirectory(user));
  const scopes = new ScopeMaker({ rules, log, userRules: () => projects.rules() });
  return async ({ tool, roots, session, client, principal }) => {
    const scope = scopes.create({ roots, fence });
    const about = {
      tool,
      session,
      ...(client !== undefined && { client: client.slice(0, MAX_NAME) }),
      ...(principal !== undefined && { principal: principalDigest(principal) }),
    };
    const end = await watchProgram(open, about, scope);
    return () =>
      end().catch((error: unknown) => {
        log.warn('what a call changed is not noted', { tool, error: String(error) });
        return undefined;
      });
  };
}
