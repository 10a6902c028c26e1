import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIBRARY = 'tool-sdk.sh';

/** The folder with the libraries for tools, whether this runs from its own file or from one bundle. */
export function sdkFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const candidates = [join(here, '..', '..', '..', 'sdk'), join(here, '..', 'sdk')];
  return candidates.find((folder) => existsSync(join(folder, LIBRARY))) ?? join(here, '..', 'sdk');
}
