import type { Root } from '@rootward/core';
import { describeSkipped } from '@rootward/core/platform';
import type { Environment } from '../../../settings/from-environment.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { searchRipgrep } from '../../../search/find-ripgrep.js';
import type { Finding } from '../../output/show-findings.js';

/** The programs a server would use here, and those it leaves alone. */
export async function describePrograms(
  environment: Environment,
  roots: readonly Root[],
  settings: LoadedSettings,
): Promise<readonly Finding[]> {
  const { found, skipped } = await searchRipgrep(roots, environment);
  const servers = await describeServers(environment, roots, settings);
  return [
    found === undefined
      ? {
          topic: 'ripgrep',
          state: 'note',
          detail: `none that may be used; searching works without it, more slowly${describeSkipped(skipped)}`,
        }
      : { topic: 'ripgrep', state: 'fine', detail: found.canonical + describeSkipped(skipped) },
    ...servers,
  ];
}

async function describeServers(
  environment: Environment,
  roots: readonly Root[],
  { languageServers, trustWorkspaceServers, files, places }: LoadedSettings,
): Promise<readonly Finding[]> {
  const { findServer, readServerSettings } = await import('@rootward/lsp');
  const topic = 'language servers';
  const found: string[] = [];
  /** Grouped by the reason why they are not used, because each reason has one fix. */
  const withheld = new Map<string, string[]>();
  for (const definition of readServerSettings(languageServers)) {
    const finding = await findServer(definition, { environment, roots, trustWorkspaceServers });
    const { kind } = finding;
    if (kind === 'found') found.push(`${definition.name} (${definition.language})`);
    if (kind !== 'inside-root' && kind !== 'runs-workspace-code') continue;
    const why =
      finding.kind === 'inside-root'
        ? finding.reason
        : (definition.runsWorkspaceCode ?? 'runs code of the workspace');
    withheld.set(why, [...(withheld.get(why) ?? []), definition.name]);
  }
  const detail = found.length === 0 ? 'none found on PATH' : found.join(', ');
  const file = files[0]?.file ?? places[0]?.file ?? 'rootward.json';
  return [
    { topic, state: found.length === 0 ? 'note' : 'fine', detail },
    ...[...withheld].map(([why, names]): Finding => ({
      topic,
      state: 'note',
      detail: `installed and not used (${why}): ${names.join(', ')}`,
      fix: `Set "trustWorkspaceServers": true in ${file} if you trust the workspace`,
    })),
  ];
}
