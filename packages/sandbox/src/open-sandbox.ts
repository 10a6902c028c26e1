import type { Backend, BackendFinding } from './backends/backend.js';
import { findBackends, type FindBackendsOptions } from './backends/find-backends.js';
import { RootwardSandboxError } from './error.js';
import { readHost } from './host/read-host.js';
import type { BackendName, Guarantee, WantedLevel } from './level.js';
import { Sandbox } from './sandbox.js';

/** Options of `openSandbox`. */
export interface OpenSandboxOptions extends FindBackendsOptions {
  readonly level: WantedLevel;
  /** Default: the strongest that works. */
  readonly backend?: BackendName | undefined;
  /** Refuse a backend that guarantees less. */
  readonly require?: Guarantee | undefined;
  /** Where the private folders of children are made. Default: the temporary folder of the system. */
  readonly folder?: string;
}

/**
 * Makes ready to hold children at a level. Undefined for `off`, and for `auto` where no backend works. Rejects when the
 * level, the backend or the guarantee cannot be had: there is no silent fall-back.
 *
 * @example
 * const sandbox = await openSandbox({ level: 'strict' });
 */
export async function openSandbox(options: OpenSandboxOptions): Promise<Sandbox | undefined> {
  if (options.level === 'off') return undefined;
  const findings = await findBackends(options);
  const backend = chooseBackend(findings, options);
  if (backend === undefined) {
    if (options.level === 'auto') return undefined;
    throw unavailable(findings, options);
  }
  const environment = options.environment ?? process.env;
  return new Sandbox({
    level: options.level === 'auto' ? 'strict' : options.level,
    backend,
    host: readHost(environment),
    folder: options.folder,
  });
}

/** The strongest backend that works and is wanted. Pure. */
export function chooseBackend(
  findings: readonly BackendFinding[],
  { backend: wanted, require }: Pick<OpenSandboxOptions, 'backend' | 'require'>,
): Backend | undefined {
  return findings
    .flatMap(({ backend }) => backend ?? [])
    .find(
      (backend) =>
        (wanted === undefined || backend.name === wanted) &&
        (require !== 'full' || backend.guarantee === 'full'),
    );
}

function unavailable(
  findings: readonly BackendFinding[],
  { level, backend: wanted, require }: OpenSandboxOptions,
): RootwardSandboxError {
  const reasons = findings
    .filter(({ name }) => wanted === undefined || name === wanted)
    .map((finding) =>
      finding.backend === undefined
        ? `${finding.name}: ${finding.reason}`
        : `${finding.name}: it guarantees ${finding.backend.guarantee} only`,
    );
  const instruction = findings.flatMap((finding) =>
    finding.backend === undefined &&
    (wanted === undefined || finding.name === wanted) &&
    isForHere(finding.name)
      ? finding.instruction
      : [],
  )[0];
  const what = require === 'full' ? `level ${level} with guarantee full` : `level ${level}`;
  return new RootwardSandboxError(
    'unavailable',
    `Cannot provide the sandbox ${what}: no backend works (${reasons.join('; ')})`,
    instruction === undefined ? {} : { instruction },
  );
}

function isForHere(name: BackendName): boolean {
  return (name === 'seatbelt') === (process.platform === 'darwin');
}
