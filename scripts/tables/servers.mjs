import { knownServers } from '../../packages/lsp/dist/index.js';
import { table } from './markdown.mjs';

/** The known language servers, in the order they are tried. */
export function serverTable() {
  const rows = knownServers.map(({ language, name, install, folders, isTested, runsWorkspaceCode }) => [
    language,
    `\`${name}\``,
    `\`${install}\``,
    folders ?? 'as it says',
    isTested === true ? 'yes' : 'not tested',
    runsWorkspaceCode === undefined ? '' : `only when trusted: ${runsWorkspaceCode}`,
  ]);
  return table(
    ['language', 'server', 'install with', 'folders', 'tested', 'runs code of the workspace'],
    rows,
  );
}
