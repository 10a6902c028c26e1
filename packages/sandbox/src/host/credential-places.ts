/** Below the home directory, beside those that are out of reach for every root: nothing a program in a sandbox needs. */
export const MORE_HOME_CREDENTIALS: readonly string[] = [
  '.docker',
  '.yarnrc.yml',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.claude.json',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/rootward',
];

/** Secrets of the system, even if everyone may read them. */
export const SYSTEM_CREDENTIALS: readonly string[] = [
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
