/** What programs need of a Linux system to run at all. */
export const LINUX_SYSTEM: readonly string[] = [
  '/usr',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/bin',
  '/sbin',
  '/opt',
  '/nix/store',
  '/gnu/store',
  '/run/current-system',
  '/etc',
];

export const LINUX_DEVICES: readonly string[] = [
  '/dev/null',
  '/dev/zero',
  '/dev/full',
  '/dev/random',
  '/dev/urandom',
  '/dev/tty',
];

export const MAC_SYSTEM: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/opt',
  '/System',
  '/Library',
  '/Applications/Xcode.app',
  '/private/etc',
  '/private/var/db/timezone',
  '/private/var/select',
  '/nix/store',
];

export const MAC_DEVICES: readonly string[] = [
  '/dev/null',
  '/dev/zero',
  '/dev/random',
  '/dev/urandom',
  '/dev/tty',
  '/dev/dtracehelper',
];
