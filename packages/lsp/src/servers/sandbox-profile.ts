import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import type { SandboxProfile } from '@rootward/sandbox';
import type { Environment } from '@rootward/core/platform';
import type { ServerDefinition } from './definition.js';

/** What the known servers need beside the roots, the system and their own programs. None gets the network. */
const PROFILES: Readonly<Record<string, SandboxProfile>> = {
  gopls: { read: ['~/go/pkg/mod', '~/sdk'], write: ['~/.cache/go-build', '~/.cache/gopls'] },
  'rust-analyzer': { read: ['~/.rustup', '~/.cargo/registry', '~/.cargo/git'] },
  pyright: { read: ['~/.local/lib', '~/.local/share/uv/python', '~/.virtualenvs'] },
  basedpyright: { read: ['~/.local/lib', '~/.local/share/uv/python', '~/.virtualenvs'] },
  pylsp: { read: ['~/.local/lib', '~/.local/share/uv/python', '~/.virtualenvs'], write: ['~/.cache/jedi'] },
  clangd: { read: ['~/.config/clangd'] },
  jdtls: { read: ['~/.m2/repository', '~/.gradle/caches'], write: ['~/.cache/jdtls'] },
  'ruby-lsp': { read: ['~/.gem', '~/.local/share/gem'] },
  'csharp-ls': { read: ['~/.nuget/packages', '~/.dotnet'] },
};
/** Variables that name a folder to be written; all others name places to read. */
const WRITTEN: ReadonlySet<string> = new Set(['GOCACHE']);

/** What a server needs: by its name, and by the variables that say where its things are. Pure. */
export function sandboxProfile(
  { name, inherits = [] }: Pick<ServerDefinition, 'name' | 'inherits'>,
  environment: Environment,
  given: SandboxProfile = {},
): SandboxProfile {
  const known = PROFILES[name] ?? {};
  const home = environment['HOME'] ?? homedir();
  const named = inherits.flatMap((variable) => {
    const path = environment[variable];
    // A variable that leads to the home directory, or above, would open all of it.
    const isUsable =
      path !== undefined && isAbsolute(path) && !`${home}/`.startsWith(`${path.replace(/\/+$/, '')}/`);
    return isUsable ? [{ variable, path }] : [];
  });
  return {
    network: given.network ?? false,
    read: [
      ...(known.read ?? []),
      ...(given.read ?? []),
      ...named.filter(({ variable }) => !WRITTEN.has(variable)).map(({ path }) => path),
    ],
    write: [
      ...(known.write ?? []),
      ...(given.write ?? []),
      ...named.filter(({ variable }) => WRITTEN.has(variable)).map(({ path }) => path),
    ],
  };
}
