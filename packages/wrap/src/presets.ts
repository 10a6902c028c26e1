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
    server: 'mcp-filesystem-server',
    pattern: /(?:^|[\\/])mcp-filesystem-server(?:[@:]|$)/,
    args: ['{roots}'],
    unless: ANY_PATH,
    source: 'https://github.com/mark3labs/mcp-filesystem-server#usage',
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
    unless: /^--project(?:-from-cwd|=|$)/,
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
  const [preset, at] = matchOf(words);
  return preset !== undefined && ownWords(words, at).some((word) => preset.unless.test(word))
    ? undefined
    : preset;
}

/** The command line with what its preset adds. Pure. */
export function withPreset(words: readonly string[]): readonly string[] {
  const preset = findPreset(words);
  if (preset === undefined) return words;
  const [, at] = matchOf(words);
  const end = at + 1 + ownWords(words, at).length;
  return [...words.slice(0, end), ...preset.args, ...words.slice(end)];
}

function matchOf(words: readonly string[]): readonly [Preset | undefined, number] {
  const preset = PRESETS.find(({ pattern }) => words.some((word) => pattern.test(word)));
  return [preset, preset === undefined ? -1 : words.findIndex((word) => preset.pattern.test(word))];
}

/** What follows the server, up to what it passes on to another program. */
function ownWords(words: readonly string[], at: number): readonly string[] {
  const after = words.slice(at + 1);
  const end = after.indexOf('--');
  return end === -1 ? after : after.slice(0, end);
}
