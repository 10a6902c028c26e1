// One collapsible block per known client: what to paste, where, and what that client tells a server.
import { KNOWN_CLIENTS } from '../../packages/server/dist/cli/install/clients/known-clients.js';
import { renderEntry } from '../../packages/server/dist/cli/install/render-entry.js';

const LANGUAGES = [
  [/^\s*\{/, 'json'],
  [/^\s*\[/, 'toml'],
];

function languageOf(text) {
  return LANGUAGES.find(([pattern]) => pattern.test(text))?.[1] ?? 'yaml';
}

/** Clients that name no folders need them named; the others do with the plain command. */
function argsFor(client) {
  return client.needsFolders === true ? ['/path/to/project'] : [];
}

/** Flags and variables, as code. */
function withCode(text) {
  return text.replaceAll(/--client-roots add|--[a-z-]+|\$\{\w+\}|[A-Z]+(?:_[A-Z]+)+/g, '`$&`');
}

export async function clientBlocks() {
  const blocks = KNOWN_CLIENTS.map(async (client) => {
    const server = {
      kind: 'stdio',
      name: 'rootward',
      command: 'npx',
      args: ['-y', 'rootward', ...argsFor(client)],
    };
    const { place, text } = await renderEntry(client, server, 'rootward');
    return `<details>
<summary>${client.name}</summary>

It reports ${withCode(client.gives)}. ${withCode(client.advice)}. Put this into ${place}:

\`\`\`${languageOf(text)}
${text}
\`\`\`

</details>`;
  });
  return (await Promise.all(blocks)).join('\n\n');
}
