import type { ScopeChallengeHandler } from '@modelcontextprotocol/server';
import type { ToolCatalogue } from '../../exec/project/tool-catalogue.js';
import { lazily } from '../../settings/lazily.js';
import { wantedExecutables } from '../../tools/exec/wanted-executables.js';
import type { Tool } from '../../tools/framework/define-tool.js';
import type { ToolChoice } from '../../tools/framework/tool-choice.js';
import { changesNoFiles } from '../../tools/register-tools.js';
import { listedName, wantedWrapped } from '../../tools/wrapped/register-wrapped.js';
import type { WrappedServers } from '../../wrapped/open-wrapped.js';
import { scopeFor, SCOPES } from './scopes.js';

/** What the operator offers and a token does not allow. */
export interface Withheld {
  readonly tools: readonly Tool[];
  readonly catalogue: ToolCatalogue | undefined;
  readonly wrapped: WrappedServers | undefined;
  /** Of the operator: what is hidden from everyone stays hidden. */
  readonly choice: ToolChoice;
  readonly readOnly: boolean;
}

/**
 * Says which scope a call needs that its token does not allow: the client is answered 403, can ask for a token that has
 * this scope, too, and call again. Those that its token has are named with it: a client of 2025-11-25 asks only for what
 * it is told, and would lose them. `withheld` is asked with the first call. Every other call is left to the server.
 */
export function scopeChallenge(withheld: () => Withheld): ScopeChallengeHandler {
  const find = lazily(withheld);
  const scopes = lazily(() => new Map(find().tools.map((tool) => [tool.name, scopeOf(tool)])));
  return ({ request: { method, params }, authInfo }) => {
    const name = method === 'tools/call' ? params?.['name'] : undefined;
    if (typeof name !== 'string') return undefined;
    const scope = scopes().get(name) ?? (runs(name, find()) ? scopeFor('exec') : undefined);
    if (scope === undefined) return undefined;
    const granted = SCOPES.filter((each) => authInfo?.scopes.includes(each));
    return { scopes: [scope, ...granted], errorDescription: 'The access token does not allow this tool' };
  };
}

function scopeOf(tool: Tool): string {
  return scopeFor(tool.toolset, changesNoFiles(tool));
}

/** Whether an executable or a wrapped server has this tool now: they come and go. */
function runs(name: string, { catalogue, wrapped, choice, readOnly }: Withheld): boolean {
  const wanted = { choice, readOnly };
  const executables = wantedExecutables(catalogue?.current().tools ?? [], wanted);
  if (executables.some(({ metadata }) => metadata.name === name)) return true;
  return [...(wrapped?.servers ?? [])].some(([prefix, { tools }]) =>
    wantedWrapped(prefix, tools, wanted).some((tool) => listedName(prefix, tool) === name),
  );
}
