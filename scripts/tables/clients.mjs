// One collapsible block per known client: what to paste, where, and what that client tells a server.
import { KNOWN_CLIENTS } from '../../packages/server/dist/cli/clients/client-configurations.js';

const LANGUAGES = [
  [/^\s*\{/, 'json'],
  [/^\s*\[/, 'toml'],
];

function languageOf(text) {
  return LANGUAGES.find(([pattern]) => pattern.test(text))?.[1] ?? 'yaml';
}

/** Clients that name no folders need them named; the others do with the plain command. */
function argsFor(client) {
  return client.gives.includes('name the folders') ? ['/path/to/project'] : [];
}

/** Flags and variables, as code. */
function withCode(text) {
  return text.replaceAll(/--client-roots add|--[a-z-]+|\$\{\w+\}|[A-Z]+(?:_[A-Z]+)+/g, '`$&`');
}

export function clientBlocks() {
  return KNOWN_CLIENTS.map((client) => {
    const { place, text } = client.configure({ kind: 'stdio', args: argsFor(client) });
    return `<details>
<summary>${client.name}</summary>

It gives ${withCode(client.gives)}. ${withCode(client.advice)}. Put this into ${place}:

\`\`\`${languageOf(text)}
${text}
\`\`\`

</details>`;
  }).join('\n\n');
}
