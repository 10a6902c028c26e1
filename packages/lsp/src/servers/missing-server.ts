import { extname } from 'node:path';
import { RootwardLspError } from '../error.js';
import type { ServerDefinition } from './definition.js';
import type { ServerFinding } from './find-server.js';

const STILL_WORKS = 'Reading, searching and editing files works without it';

/** Says which language lacks what, what to do, and what works meanwhile. */
export function missingServer(
  file: string,
  findings: readonly { readonly definition: ServerDefinition; readonly finding: ServerFinding }[],
): RootwardLspError {
  const [first] = findings;
  if (first === undefined) {
    const ending = extname(file);
    const kind = ending === '' ? `"${file}"` : `${ending} files`;
    return new RootwardLspError(
      'no-server',
      `Cannot understand ${kind}: no language server is known for them`,
      {
        instruction: `Name one under languageServers in rootward.json. ${STILL_WORKS}`,
      },
    );
  }
  const { definition } = findings.find(({ finding }) => finding.kind !== 'not-installed') ?? first;
  const finding = findings.find((entry) => entry.definition === definition)?.finding ?? first.finding;
  const action = `Cannot understand ${definition.language}`;
  switch (finding.kind) {
    case 'inside-root':
      return new RootwardLspError(
        'not-trusted',
        `${action}: ${definition.name} was found only where it must not come from (${finding.path}: ${finding.reason})`,
        {
          instruction: `Install it elsewhere (${definition.install}) or set trustWorkspaceServers. ${STILL_WORKS}`,
        },
      );
    case 'without-companion':
      return new RootwardLspError(
        'not-installed',
        `${action}: ${definition.name} was found without ${definition.companion?.module ?? 'what it needs'} beside it`,
        { instruction: `Run: ${definition.install}. ${STILL_WORKS}` },
      );
    case 'runs-workspace-code':
      return new RootwardLspError(
        'not-trusted',
        `${action}: ${definition.name} is not started, since ${definition.runsWorkspaceCode ?? 'it runs code of the workspace'}`,
        { instruction: `Set trustWorkspaceServers if you trust the workspace. ${STILL_WORKS}` },
      );
    case 'not-installed':
    case 'found':
      return new RootwardLspError('not-installed', `${action}: ${definition.name} is not installed`, {
        instruction: `Run: ${first.definition.install}. ${STILL_WORKS}`,
      });
  }
}
