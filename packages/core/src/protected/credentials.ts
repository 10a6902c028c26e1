import { delimiter, isAbsolute, join } from 'node:path';
import { toPlaces, type ProtectedPlace, type Surroundings } from './place.js';

/** In a home directory, and anywhere below a root that is as wide as one. */
const SECRETS_OF_USERS: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
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

/** Names of secrets at any depth. A name without a slash matches at any depth, and everything below it. */
const BELOW_BROAD_ROOTS: readonly string[] = [
  ...SECRETS_OF_USERS,
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

/** Where programs keep credentials, below the home directory. */
const AT_HOME: readonly string[] = [
  ...SECRETS_OF_USERS,
  '.config/containers/auth.json',
  '.config/gcloud',
  '.config/gh',
  '.config/op',
  '.config/git/credentials',
  '.local/share/keyrings',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.terraform.d/credentials.tfrc.json',
  '.yarnrc.yml',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.claude.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  'Library/Keychains',
  'Library/Application Support/Google/Chrome',
];

/** Secrets of the system, even if everyone may read them. */
const OF_SYSTEM: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/krb5.keytab',
  '/run/secrets',
  '/var/run/secrets',
];

const HIDDEN = { protection: 'hidden', kind: 'credential', unlessNamed: true } as const;

/** Globs for names of secrets, which hold below a root as wide as a home directory. */
export const BROAD_ROOT_PLACES: readonly ProtectedPlace[] = toPlaces(
  { ...HIDDEN, where: 'broad-root', reason: 'a name like this is usually a secret' },
  BELOW_BROAD_ROOTS,
);

/** Variables that move a folder of the home directory. */
const MOVED: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: '.config/',
  XDG_DATA_HOME: '.local/share/',
};

/** Variables that name a place of credentials, or the folder that holds the given one. */
const BY_VARIABLE: Readonly<Record<string, string>> = {
  AWS_CONFIG_FILE: '',
  AWS_SHARED_CREDENTIALS_FILE: '',
  AZURE_CONFIG_DIR: '',
  CARGO_HOME: 'credentials.toml',
  CLAUDE_CONFIG_DIR: '.credentials.json',
  CLOUDSDK_CONFIG: '',
  CODEX_HOME: 'auth.json',
  DOCKER_CONFIG: '',
  GH_CONFIG_DIR: '',
  GNUPGHOME: '',
  GOOGLE_APPLICATION_CREDENTIALS: '',
  KUBECONFIG: '',
  NETRC: '',
  NPM_CONFIG_USERCONFIG: '',
  PASSWORD_STORE_DIR: '',
  PGPASSFILE: '',
};

function hidden(reason: string, paths: readonly string[]): readonly ProtectedPlace[] {
  return toPlaces({ ...HIDDEN, where: 'at', reason }, paths);
}

/** Out of reach through every root, unless the operator named exactly that place. */
export function credentialPlaces({ environment, home }: Surroundings): readonly ProtectedPlace[] {
  const atHome = AT_HOME.map((path) => join(home, path));
  const moved = Object.entries(MOVED).flatMap(([variable, usual]) =>
    valuesOf(environment[variable]).flatMap((folder) =>
      AT_HOME.filter((path) => path.startsWith(usual)).map((path) => join(folder, path.slice(usual.length))),
    ),
  );
  const named = Object.entries(BY_VARIABLE).flatMap(([variable, below]) =>
    valuesOf(environment[variable]).map((path) => join(path, below)),
  );
  return [
    ...hidden('programs keep credentials there', [...atHome, ...moved, ...named]),
    ...hidden('it is a secret of the system', OF_SYSTEM),
  ];
}

/** Some variables hold a list. A relative path is the program's own affair. */
function valuesOf(value: string | undefined): readonly string[] {
  return (value ?? '').split(delimiter).filter(isAbsolute);
}
