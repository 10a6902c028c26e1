import type { RootSource, SourceReading } from './root-source.js';
import { absent, describeNamed, readPaths } from './root-source.js';

/** `PWD` as a shell or host left it: only a hint, so it is checked harder than anything else. */
export const pwdSource: RootSource = {
  source: 'pwd',
  async read(context) {
    const value = context.environment['PWD'];
    if (value === undefined || value === '') return absent('pwd', 'PWD not set');
    const list = await readPaths('pwd', [{ path: value }], context);
    const reading: SourceReading = {
      ...list,
      source: 'pwd',
      given: true,
      detail: `PWD ${describeNamed(list)}`,
    };
    const root = list.roots[0];
    if (root === undefined) return reading;
    if (root.kind === 'file') {
      return { ...reading, roots: [], detail: `PWD names ${root.path}, which is not a directory` };
    }
    // As given too: a cache reached through a link is still the cache.
    const place = findInstallPlace(root.path) ?? findInstallPlace(value);
    if (place === undefined) return reading;
    return { ...reading, roots: [], detail: `PWD names ${root.path}, which lies inside ${place}` };
  },
};

/**
 * Folders that package managers and hosts unpack programs into. A server started from there is at home, not in the
 * user's project.
 */
const INSTALL_PLACES: readonly string[] = [
  'node_modules',
  '_npx',
  '_cacache',
  'npm-cache',
  '.npm',
  '.pnpm-store',
  '.yarn/cache',
  '.yarn/berry',
  '.bun/install',
  '.cache/yarn',
  '.cache/pnpm',
  '.cache/uv',
  '.cache/pip',
  '.cache/pipx',
  '.cache/deno',
  '.cache/node',
  '.local/share/pnpm',
  '.local/share/uv',
  '.local/pipx',
  '.cargo/registry',
  'library/caches',
  'library/pnpm',
  'appdata/local/pnpm',
  'appdata/local/yarn',
  'appdata/local/uv',
  '.claude/plugins',
  '.codex/plugins',
  '.cursor/plugins',
  '.cursor/extensions',
  '.gemini/extensions',
  '.vscode/extensions',
  '.vscode-server/extensions',
];

function findInstallPlace(path: string): string | undefined {
  const wrapped = `/${path.toLowerCase().replaceAll('\\', '/')}/`;
  return INSTALL_PLACES.find((place) => wrapped.includes(`/${place}/`));
}
