import { linuxPlatform } from './linux.js';
import { portablePlatform } from './portable.js';
import type { Platform } from './pin.js';

/** The strongest platform this system offers. */
export function systemPlatform(): Platform {
  const linux = process.platform === 'linux' ? linuxPlatform() : undefined;
  return linux ?? portablePlatform();
}
