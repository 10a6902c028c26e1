import { RootwardError } from '@rootward/core';

/** What cannot be put somewhere because nothing is there lacks its folder. */
export async function adviseFolder<Result>(target: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof RootwardError) || error.code !== 'not-found' || error.path !== target) throw error;
    const { message, path, cause } = error;
    throw new RootwardError('not-found', message, {
      path,
      cause,
      instruction: 'Create its directory first, with create_directory',
    });
  }
}
