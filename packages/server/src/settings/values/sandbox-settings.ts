import type { BackendName, Guarantee, WantedLevel } from '@rootward/sandbox';

/** Listed here, so that reading a command line does not load the sandbox. */
export const SANDBOX_LEVELS: readonly WantedLevel[] = ['off', 'write', 'strict', 'auto'];
export const SANDBOX_GUARANTEES: readonly Guarantee[] = ['full', 'contents'];
export const SANDBOX_BACKENDS: readonly BackendName[] = ['bubblewrap', 'landlock', 'seatbelt'];

/** What a child may have beside the roots. Paths are absolute. */
export interface SandboxGrant {
  readonly network?: boolean;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

/** What the operator says about one program. */
interface ProgramSandbox extends SandboxGrant {
  readonly level?: WantedLevel;
}

/** What only a configuration file can say. */
export interface SandboxGrants extends Pick<SandboxGrant, 'read' | 'write'> {
  /** What a tool gets if it asks for it in `tool.meta.json`. */
  readonly allow?: SandboxGrant;
  /** By the name of a tool or language server. */
  readonly programs?: Readonly<Record<string, ProgramSandbox>>;
}

/** Everything the operator says about sandboxes. */
export interface SandboxSettings extends SandboxGrants {
  /** Undefined: executables run without, language servers as with `auto`. */
  readonly level: WantedLevel | undefined;
  readonly require: Guarantee | undefined;
  readonly backend: BackendName | undefined;
  readonly network: boolean;
}

/** As `rootward.json` has it, before its paths are read. */
export interface WrittenSandbox {
  readonly level?: WantedLevel;
  readonly require?: Guarantee;
  readonly backend?: BackendName;
  readonly network?: boolean;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly allow?: SandboxGrant;
  readonly programs?: Readonly<Record<string, WantedLevel | ProgramSandbox>>;
}

/** Makes the paths absolute. */
export function readGrants(written: WrittenSandbox, readPath: (text: string) => string): SandboxGrants {
  const grant = <Given extends SandboxGrant>(given: Given): Given => ({
    ...given,
    ...(given.read !== undefined && { read: given.read.map(readPath) }),
    ...(given.write !== undefined && { write: given.write.map(readPath) }),
  });
  const { read, write } = grant({ read: written.read ?? [], write: written.write ?? [] });
  return {
    read,
    write,
    ...(written.allow !== undefined && { allow: grant(written.allow) }),
    ...(written.programs !== undefined && {
      programs: Object.fromEntries(
        Object.entries(written.programs).map(([name, program]) => [
          name,
          typeof program === 'string' ? { level: program } : grant(program),
        ]),
      ),
    }),
  };
}
