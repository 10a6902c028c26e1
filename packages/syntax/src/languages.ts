import { extname } from 'node:path';

/** The name of a grammar, as its file is named. */
export type Grammar =
  | 'bash'
  | 'c-sharp'
  | 'cpp'
  | 'go'
  | 'java'
  | 'javascript'
  | 'php'
  | 'python'
  | 'ruby'
  | 'rust'
  | 'tsx'
  | 'typescript';

/** What people call the language of a grammar. */
export const LANGUAGES: Readonly<Record<Grammar, string>> = {
  bash: 'Bash',
  'c-sharp': 'C#',
  cpp: 'C and C++',
  go: 'Go',
  java: 'Java',
  javascript: 'TypeScript and JavaScript',
  php: 'PHP',
  python: 'Python',
  ruby: 'Ruby',
  rust: 'Rust',
  tsx: 'TypeScript and JavaScript',
  typescript: 'TypeScript and JavaScript',
};

/** By the end of a file's name. C is read as C++, of which it is a part as far as declarations go. */
const GRAMMARS: ReadonlyMap<string, Grammar> = new Map<string, Grammar>([
  ...endings('bash', '.sh', '.bash'),
  ...endings('c-sharp', '.cs'),
  ...endings('cpp', '.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx', '.inc'),
  ...endings('go', '.go'),
  ...endings('java', '.java'),
  ...endings('javascript', '.js', '.mjs', '.cjs', '.jsx'),
  ...endings('php', '.php'),
  ...endings('python', '.py', '.pyi'),
  ...endings('ruby', '.rb', '.rake'),
  ...endings('rust', '.rs'),
  ...endings('tsx', '.tsx'),
  ...endings('typescript', '.ts', '.mts', '.cts'),
]);

function endings(grammar: Grammar, ...names: readonly string[]): readonly (readonly [string, Grammar])[] {
  return names.map((name) => [name, grammar]);
}

/** The grammar for a file, by the end of its name; undefined where none is known. */
export function grammarOf(path: string): Grammar | undefined {
  return GRAMMARS.get(extname(path).toLowerCase());
}
