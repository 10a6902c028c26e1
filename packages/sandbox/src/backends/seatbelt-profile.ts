import { pinnedFolders } from '../plan/pinned-folders.js';
import type { SandboxPlan } from '../plan/plan.js';

/** What programs of macOS need beside files. */
const BASE: readonly string[] = [
  '(version 1)',
  '(deny default)',
  '(allow process-fork)',
  '(allow process-exec)',
  '(allow signal (target same-sandbox))',
  '(allow process-info* (target same-sandbox))',
  '(allow sysctl-read)',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.logger"))',
  '(allow file-read-metadata)',
  '(allow file-ioctl (literal "/dev/tty"))',
];

/** A plan in the language of `sandbox-exec`. Later rules win. Pure. */
export function seatbeltProfile(plan: SandboxPlan, folder: string): string {
  const readable = plan.paths.filter(({ access }) => access !== 'device').map(({ path }) => path);
  const writable = plan.paths.filter(({ access }) => access === 'write').map(({ path }) => path);
  const devices = plan.paths.filter(({ access }) => access === 'device').map(({ path }) => path);
  const locked = plan.paths
    .filter(({ access, why }) => access === 'read' && why === 'root')
    .map(({ path }) => path);
  return [
    ...BASE,
    ...(plan.readsEverything
      ? ['(allow file-read*)']
      : ['(allow file-read* (literal "/"))', ...rule('allow file-read*', readable)]),
    ...rule('allow file-write*', writable),
    ...devices.map((path) => `(allow file-read* file-write* (literal ${quoted(path)}))`),
    ...rule('deny file-write*', [...locked, ...plan.fixed, ...plan.locked]),
    ...rule(
      'deny file-read* file-write*',
      plan.hidden.map(({ path }) => path),
    ),
    // Renaming a folder is writing to its name.
    ...pinnedFolders(plan).map((path) => `(deny file-write-unlink (literal ${quoted(path)}))`),
    ...rule('allow file-read* file-write*', [folder]),
    plan.network ? '(allow network*)' : '(deny network*)',
  ].join('\n');
}

function rule(action: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => `(${action} (subpath ${quoted(path)}))`);
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
