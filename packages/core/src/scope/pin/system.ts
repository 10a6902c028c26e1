import { linuxPlatform } from './linux.js';
import { portablePlatform } from './portable.js';
import type { Platform } from './pin.js';

let linux: Platform | undefined;

/**
 * The strongest platform this system offers. Whether Linux can do it is checked once, since the check costs more than
 * the rest of a scope. A failed check is repeated: there may just have been no free descriptor.
 */
export function systemPlatform(): Platform {
  if (process.platform === 'linux') linux ??= linuxPlatform();
  return linux ?? portablePlatform();
}
