/** Whether a configuration holds for one project or for all projects of the user. */
export const SCOPES = ['project', 'user'] as const;

export type InstallScope = (typeof SCOPES)[number];
