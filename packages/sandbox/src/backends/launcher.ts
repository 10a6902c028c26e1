import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { processorOf } from './programs.js';

/** Our launcher, where its optional package is installed or was built. */
export function findLauncher(): string | undefined {
  const processor = processorOf();
  if (process.platform !== 'linux' || processor === undefined) return undefined;
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `@rootward/sandbox-linux-${processor}/package.json`,
    );
    return realpathSync(join(dirname(manifest), 'bin', 'rootward-launcher'));
  } catch {
    // Optional: not installed.
    return undefined;
  }
}
