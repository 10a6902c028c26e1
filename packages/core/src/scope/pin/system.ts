import { linuxPlatform } from './linux.js';
import { portablePlatform } from './portable.js';
import type { Platform } from './pin.js';

let linux: Platform | undefined;

/**
 * The strongest platform this system offers. That Linux keeps its promise is found out once, which costs more than making
 * the rest of a scope; where it did not, it may have been for lack of descriptors, and it is asked again.
 */
export function systemPlatform(): Platform {
  if (process.platform === 'linux') linux ??= linuxPlatform();
  return linux ?? portablePlatform();
}
