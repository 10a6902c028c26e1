/** In a home directory, and anywhere below a root that is as wide as one. */
const SECRETS_OF_USERS: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.password-store',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.vault-token',
];

/**
 * Secrets that would otherwise be reachable through a root as wide as a home directory. A name without a slash matches
 * at any depth, and everything below it.
 */
export const BROAD_ROOT_DENIES: readonly string[] = [
  ...SECRETS_OF_USERS,
  '.docker',
  '.env*',
  '.htpasswd',
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
  'etc/shadow*',
  'etc/gshadow*',
  'etc/sudoers*',
];

/**
 * Where programs keep credentials, below the home directory. Not reachable through any root, unless the operator named
 * exactly that place.
 */
export const HOME_CREDENTIALS: readonly string[] = [
  ...SECRETS_OF_USERS,
  '.docker/config.json',
  '.config/containers/auth.json',
  '.config/gcloud',
  '.config/gh',
  '.config/op',
  '.config/git/credentials',
  '.config/rootward',
  '.local/state/rootward',
  '.local/share/keyrings',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.terraform.d/credentials.tfrc.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  'Library/Keychains',
];
