import { constants } from 'node:fs';
import { access, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '@rootward/core/platform';

const RUSTUP = /^rustup(?:-init)?(?:\.exe)?$/;

/** Whether a program of another name is rustup: rustup places itself under the name of every component, installed or not. */
export function isRustupShim(path: string, canonical: string): boolean {
  return RUSTUP.test(basename(canonical)) && !RUSTUP.test(basename(path));
}

/**
 * The program of a component in the default toolchain, or in any other that has it. The shim itself would fetch the
 * toolchain that a file of the workspace names.
 */
export async function findBehindRustup(
  name: string,
  rustup: string,
  environment: Environment,
): Promise<string | undefined> {
  // The program lies in CARGO_HOME/bin, and RUSTUP_HOME beside CARGO_HOME unless it is set.
  const home = environment['RUSTUP_HOME'] ?? join(dirname(rustup), '..', '..', '.rustup');
  const toolchains = join(home, 'toolchains');
  const settings = await readFile(join(home, 'settings.toml'), 'utf8').catch(() => '');
  const preferred = /^default_toolchain\s*=\s*"([^"]+)"/m.exec(settings)?.[1];
  const others: readonly string[] = await readdir(toolchains).catch(() => []);
  for (const toolchain of [...(preferred === undefined ? [] : [preferred]), ...others.toSorted()]) {
    try {
      const program = await realpath(join(toolchains, toolchain, 'bin', name));
      await access(program, constants.X_OK);
      return program;
    } catch {
      // This toolchain does not have the component.
    }
  }
  return undefined;
}
