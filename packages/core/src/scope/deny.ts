import picomatch from 'picomatch';
import { RootwardError } from '../error.js';

/**
 * Secrets that a root as wide as a home directory would otherwise put within reach.
 * A name without a slash matches at any depth, and everything below it.
 */
export const BROAD_ROOT_DENIES: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.env*',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.htpasswd',
  '.vault-token',
  'credentials',
  'credentials.*',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.keychain',
  '*.keychain-db',
  '**/.config/gcloud',
  '**/.config/gh',
  '**/.local/share/keyrings',
  '/etc/shadow*',
  '/etc/gshadow*',
  '/etc/sudoers*',
];

export interface DenyMatcher {
  /** The pattern that denies this path (relative to the root, with `/`), if any. */
  match(relative: string): string | undefined;
  /** Whether some pattern depends on where an entry is, so that moving a folder could lift the denial. */
  readonly positional: boolean;
}

const CASE_INSENSITIVE = process.platform === 'darwin' || process.platform === 'win32';
const GLOB_CHARACTERS = /[*?[\]{}()!+@\\]/;
// No path that is tested has one, so such a pattern would deny nothing.
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;
const OPTIONS: picomatch.PicomatchOptions = {
  dot: true,
  nonegate: true,
  // `s`: without it `**` does not cross a folder whose name holds a line break, and what is in there is not denied.
  flags: CASE_INSENSITIVE ? 'is' : 's',
  // Throws on a glob that makes no valid expression, such as `[z-a]`, which would otherwise silently match nothing.
  debug: true,
};
const NOTHING: DenyMatcher = { match: () => undefined, positional: false };

type NameTest = (name: string) => boolean;

interface Pattern {
  readonly text: string;
  readonly test: NameTest;
}

function compile(text: string, glob: string): Pattern {
  if (!GLOB_CHARACTERS.test(glob) && !CASE_INSENSITIVE) return { text, test: (name) => name === glob };
  try {
    return { text, test: picomatch(glob, OPTIONS) };
  } catch (error) {
    throw new RootwardError(
      'invalid-option',
      `Cannot read the deny pattern ${JSON.stringify(text)}: it is not a valid glob`,
      { cause: error },
    );
  }
}

function bare(text: string): string {
  const glob = text.replace(/\/+$/, '').replace(/^\.\//, '');
  if (glob === '' || text.startsWith('!') || DOT_SEGMENT.test(glob)) {
    throw new RootwardError(
      'invalid-option',
      `Cannot read the deny pattern ${JSON.stringify(text)}: expected a glob that names files or folders`,
    );
  }
  return glob;
}

/** A denied folder denies all that is in it, so a path is tested together with every folder above it. */
export function compileDenies(patterns: readonly string[]): DenyMatcher {
  if (patterns.length === 0) return NOTHING;
  const names: Pattern[] = [];
  const paths: Pattern[] = [];
  for (const text of patterns) {
    const glob = bare(text);
    if (glob.includes('/')) paths.push(compile(text, glob.replace(/^\/+/, '')));
    else names.push(compile(text, glob));
  }
  return {
    positional: paths.length > 0,
    match(relative) {
      let start = 0;
      while (start < relative.length) {
        const slash = relative.indexOf('/', start);
        const end = slash < 0 ? relative.length : slash;
        const name = relative.slice(start, end);
        for (const pattern of names) if (pattern.test(name)) return pattern.text;
        if (paths.length > 0) {
          const prefix = relative.slice(0, end);
          for (const pattern of paths) if (pattern.test(prefix)) return pattern.text;
        }
        start = end + 1;
      }
      return undefined;
    },
  };
}
