/** What a well-known server needs on its command line to work in the folders of the client. */
export interface Preset {
  /** What the server is called. */
  readonly server: string;
  /** Matches a word of the command line. */
  readonly pattern: RegExp;
  /** Arguments to add where none of them is there. */
  readonly args: readonly string[];
  /** An argument that shows that the folder was named already. */
  readonly unless: RegExp;
  /** Where its documentation says so. */
  readonly source: string;
}

const ANY_PATH = /^(?:[./~]|[A-Za-z]:\\|\{roots?\})/;

/** Servers that do not look at roots or at the directory they are started in, and how to tell them. */
export const PRESETS: readonly Preset[] = [
  {
    server: '@modelcontextprotocol/server-filesystem',
    pattern: /(?:^|[\\/])server-filesystem(?:@[^\\/]*)?(?:$|[\\/])|mcp-server-filesystem/,
    args: ['{roots}'],
    unless: ANY_PATH,
    source:
      'https://github.com/modelcontextprotocol/servers/tree/main/src/filesystem#usage-with-claude-desktop',
  },
  {
    server: 'mcp-server-git',
    pattern: /(?:^|[\\/])mcp[-_]server[-_]git(?:@|$)/,
    args: ['--repository', '{root}'],
    unless: /^(?:-r|--repository)(?:=|$)/,
    source: 'https://github.com/modelcontextprotocol/servers/tree/main/src/git#configuration',
  },
  {
    server: 'Serena',
    pattern: /(?:^|[\\/])serena(?:-mcp-server)?(?:@|$)/,
    args: ['--project', '{root}'],
    unless: /^--project(?:=|$)/,
    source: 'https://oraios.github.io/serena/02-usage/030_clients.html',
  },
  {
    server: 'mcp-language-server',
    pattern: /(?:^|[\\/])mcp-language-server(?:@|$)/,
    args: ['--workspace', '{root}'],
    unless: /^--?workspace(?:=|$)/,
    source: 'https://github.com/isaacphi/mcp-language-server#setup',
  },
];

/** The preset for a command line, where there is one and the folder is not named already. Pure. */
export function findPreset(words: readonly string[]): Preset | undefined {
  const preset = PRESETS.find(({ pattern }) => words.some((word) => pattern.test(word)));
  if (preset === undefined) return undefined;
  const at = words.findIndex((word) => preset.pattern.test(word));
  return words.slice(at + 1).some((word) => preset.unless.test(word)) ? undefined : preset;
}
