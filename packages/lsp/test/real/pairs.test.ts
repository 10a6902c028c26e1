import { delimiter } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readPathRoots, Scope } from '@rootward/core';
import { LanguageServers, outline, references, RootwardLspError, type CodeContext } from '@rootward/lsp';
import { environment } from '../fixtures/real-servers.js';

/** Named by `npm run soak -- code FOLDER…`. */
const FOLDERS = (process.env['ROOTWARD_CODE_FOLDERS'] ?? '').split(delimiter).filter(Boolean);
const PAIRS = FOLDERS.flatMap((folder) =>
  FOLDERS.filter((other) => other !== folder).map((other) => [folder, other] as const),
);
const FILES = 6;
const SOURCE = /\.(?:ts|tsx|js|py|go|c|h)$/;

const pools: LanguageServers[] = [];

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.dispose();
});

async function open(...folders: readonly string[]): Promise<CodeContext> {
  const paths = folders.map((path) => ({ path }));
  const { roots } = await readPathRoots(paths, { source: 'flag', home: '/nonexistent' });
  const limits = { settleTimeout: 60_000, requestTimeout: 120_000, initializeTimeout: 120_000 };
  const servers = new LanguageServers({ snapshot: () => ({ roots }) }, { environment, limits });
  pools.push(servers);
  return { servers, scope: new Scope({ roots }) };
}

interface Asked {
  readonly symbol: string;
  readonly file: string;
}

/** A symbol of some files each. */
async function symbolsOf(code: CodeContext): Promise<readonly Asked[]> {
  const files: string[] = [];
  for await (const { path, kind } of code.scope.walk(code.scope.roots[0]!.path, { gitignore: true }))
    if (kind === 'file' && SOURCE.test(path)) files.push(path);
  const step = Math.max(1, Math.floor(files.length / FILES));
  const asked: Asked[] = [];
  for (const file of files.toSorted().filter((_, index) => index % step === 0)) {
    const { symbols } = await outline(code, { file });
    const named = symbols.find(
      ({ kind, name }) => /class|function|struct/.test(kind) && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name),
    );
    if (named !== undefined) asked.push({ symbol: named.name, file });
  }
  return asked.slice(0, FILES);
}

interface Said {
  readonly places: readonly string[];
  readonly complete: boolean;
  readonly notes: string;
}

async function uses(code: CodeContext, asked: Asked): Promise<Said> {
  try {
    const { total, files, complete, notes } = await references(code, asked);
    return { places: [String(total), ...files.map(({ file }) => file)], complete, notes: notes.join('\n') };
  } catch (error) {
    if (!(error instanceof RootwardLspError)) throw error;
    return { places: [error.code], complete: false, notes: '' };
  }
}

test.skipIf(PAIRS.length === 0).each(PAIRS.length === 0 ? [['FOLDER', 'OTHER']] : PAIRS)(
  'uses in %s are the same with %s beside it (soak with folders)',
  async (folder, other) => {
    const alone = await open(folder);
    const questions = await symbolsOf(alone);
    const together = await open(other, folder);
    for (const asked of questions) {
      const [one, both] = [await uses(alone, asked), await uses(together, asked)];
      expect({ asked, places: both.places }).toEqual({ asked, places: one.places });
      // What the other root mentions may be more than anyone can tell; then the answer names it.
      const isExplained = both.complete === one.complete || both.notes.includes(other);
      expect({ asked, isExplained, notes: both.notes }).toMatchObject({ isExplained: true });
    }
  },
);
