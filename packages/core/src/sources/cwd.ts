import type { Root } from '../roots/root.js';
import { containsPath } from '../uri/contains-path.js';
import type { RootSource, SourceContext, SourceReading } from './root-source.js';
import { absent, describeNamed, readPaths } from './root-source.js';

/**
 * The directory the process was started in: every client measured starts its servers in the folder of the session. Only
 * a hint, so it is checked more strictly than anything else. `PWD`, which some clients leave at another folder, counts
 * only where that directory cannot be used.
 */
export const cwdSource: RootSource = {
  source: 'cwd',
  async read(context) {
    const { cwd } = context;
    const pwd = context.environment['PWD'];
    const own = isSet(cwd) ? await readHint('the process directory', cwd, context) : undefined;
    const spelled = isSet(pwd) ? await readHint('PWD', pwd, context) : undefined;
    if (own === undefined)
      return spelled ?? absent('cwd', 'the process directory is not known and PWD not set');
    const [root] = own.roots;
    if (root !== undefined) {
      const isSame = spelled?.roots[0]?.path === root.path;
      return isSame ? { ...own, roots: spelled.roots } : own;
    }
    if (spelled === undefined) return own;
    const detail = `${own.detail}, ${spelled.detail}`;
    return { ...spelled, detail, rejected: [...own.rejected, ...spelled.rejected] };
  },
};

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

async function readHint(origin: string, value: string, context: SourceContext): Promise<SourceReading> {
  const list = await readPaths('cwd', [{ path: value }], context);
  const reading: SourceReading = {
    ...list,
    source: 'cwd',
    given: true,
    detail: `${origin} ${describeNamed(list).replace(/^names/, verbFor(origin, context))}`,
  };
  const root = list.roots[0];
  if (root === undefined) return reading;
  const place = unusablePlace(root, value, context);
  if (place === undefined) return reading;
  return { ...reading, roots: [], detail: `${reading.detail}, which ${place}` };
}

/** A ceiling inside it is what is left of it. */
function verbFor(origin: string, { ceiling }: SourceContext): string {
  if (origin === 'PWD') return 'names';
  return ceiling === undefined ? 'is' : 'gives';
}

function unusablePlace(root: Root, value: string, { program, style }: SourceContext): string | undefined {
  if (root.kind === 'file') return 'is not a directory';
  // The given path is checked, too: a cache reached through a link is still a cache.
  const place = findInstallPlace(root.path) ?? findInstallPlace(value);
  if (place !== undefined) return `lies inside ${place}`;
  const isOwn = program !== undefined && containsPath(program, root.path, style);
  return isOwn ? 'is where this program is installed' : undefined;
}

/**
 * Folders that package managers and hosts unpack programs into. A server started there is in its own folder, not in the
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
