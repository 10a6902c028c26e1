import type { ServerCapabilities } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../../error.js';
import type { ServerInstance } from '../../pool/server-instance.js';

type Provider = Extract<keyof ServerCapabilities, `${string}Provider`>;

/** Rejects before the question is sent, because servers react differently to questions they do not know. */
export function requireCapability(
  instance: Pick<ServerInstance, 'capabilities' | 'definition'>,
  provider: Provider,
  action: string,
): void {
  const value = instance.capabilities[provider];
  if (value !== undefined && value !== null && value !== false) return;
  throw new RootwardLspError(
    'unsupported',
    `Cannot ${action}: ${instance.definition.name} does not offer that for ${instance.definition.language}`,
    { instruction: 'Use search_content instead' },
  );
}
