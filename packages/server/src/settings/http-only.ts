import { RootwardServerError } from '../error.js';
import type { Settings } from './settings.js';

type Given = Pick<Settings, 'http' | 'origins'>;
type Name = keyof Settings['origins'];

/** What `rootward --http` has, and `rootward wrap` has not. */
const OF_OWN_SERVER: readonly Name[] = ['store', 'limits', 'oauthIssuer', 'oauthAudience'];

/** Throws `usage` for settings that have no effect over stdio, or without another one: somebody relies on them. */
export function requireHttp(settings: Given): void {
  if (settings.http === undefined) {
    refuse([...OF_OWN_SERVER, 'publicUrl'], settings, 'over stdio: it is for --http');
  } else if (settings.origins.oauthIssuer === undefined) {
    refuse(['oauthAudience'], settings, 'alone: name the issuer of the tokens with --oauth-issuer');
  }
}

/** The same for settings that have no effect on a wrapped server, over stdio or HTTP. */
export function requireWrappable(settings: Given): void {
  refuse(
    OF_OWN_SERVER,
    settings,
    'for a wrapped server: it is for --http without the command wrap. Remove it, or name a file without it with --config; to have it, list the server under "wrap" in rootward.json, and leave out the command wrap',
  );
  requireHttp(settings);
}

function refuse(names: readonly Name[], { origins }: Given, reason: string): void {
  const given = names.flatMap((name) => origins[name] ?? []);
  if (given.length > 0) throw new RootwardServerError('usage', `Cannot use ${given.join(' and ')} ${reason}`);
}
