/** Whose rules a path follows. Always passed along, so both sets of rules run, and are tested, on any system. */
export type PathStyle = 'posix' | 'windows';

/** The rules of the system this process runs on. */
export const hostPathStyle: PathStyle = process.platform === 'win32' ? 'windows' : 'posix';
