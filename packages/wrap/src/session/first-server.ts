import { RootwardWrapError } from '../error.js';
import type { InnerEra } from '../inner/inner-era.js';
import type { Instance } from '../inner/instance.js';
import type { Keeper } from '../inner/keeper.js';

/**
 * The first server for a client. One that ends over a question of the modern era is asked in the older one; one that
 * does not start in an empty folder, such as a script of a package, may start where this process did: `startHere`
 * arranges that, and returns false where it is arranged already.
 */
export async function firstServer(
  keeper: Keeper,
  era: InnerEra,
  startHere: () => boolean,
): Promise<Instance> {
  const triedModern = era.triesModern;
  try {
    return await keeper.acquire();
  } catch (error) {
    if (!(error instanceof RootwardWrapError) || error.code !== 'ended') throw error;
    const isOver = triedModern && !era.triesModern;
    if (!isOver) {
      if (keeper.hasRoots || !startHere()) throw error;
      era.forget();
    }
    return firstServer(keeper, era, startHere);
  }
}
