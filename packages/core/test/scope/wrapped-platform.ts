import type { Pin, Platform } from '../../src/scope/pin/pin.js';

function wrapping(platform: Platform, wrap: (pin: Pin) => Pin, locate: (path: string) => string): Platform {
  return {
    guarantee: (operation) => platform.guarantee(operation),
    pin: (path, options) => wrap(platform.pin(locate(path), options)),
  };
}

function pinLike(pin: Pin, overrides: Partial<Pin>): Pin {
  return {
    path: pin.path,
    stats: pin.stats,
    self: pin.self,
    child: (name) => pin.child(name),
    reopen: (flags) => pin.reopen(flags),
    reopenHandle: (flags) => pin.reopenHandle(flags),
    hasMoved: () => pin.hasMoved(),
    close: () => pin.close(),
    ...overrides,
  };
}

function swap(path: string, from: string, to: string): string {
  return path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path;
}

/** The same platform, with what is at `real` to be found at `shown`. */
export function shownAs(platform: Platform, real: string, shown: string): Platform {
  return wrapping(
    platform,
    (pin) => pinLike(pin, { path: swap(pin.path, real, shown) }),
    (path) => swap(path, shown, real),
  );
}

/** The same platform, counting how many objects are held at a time. */
export function counting(platform: Platform): { platform: Platform; now: () => number; most: () => number } {
  let now = 0;
  let most = 0;
  const counted = wrapping(
    platform,
    (pin) => {
      now++;
      most = Math.max(most, now);
      return pinLike(pin, {
        close: () => {
          now--;
          pin.close();
        },
      });
    },
    (path) => path,
  );
  return { platform: counted, now: () => now, most: () => most };
}
