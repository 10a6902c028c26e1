import type { BackendFinding } from '@rootward/sandbox';
import type { Environment } from '../../../settings/from-environment.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import type { Finding } from '../../output/show-findings.js';

const TOPIC = 'sandbox';

/** Which backends work here and why others do not, and what children of a server would run in. */
export async function describeSandbox(
  environment: Environment,
  { sandbox, deny }: LoadedSettings,
): Promise<readonly Finding[]> {
  const { chooseBackend, findBackends, RootwardSandboxError } = await import('@rootward/sandbox');
  let findings: readonly BackendFinding[];
  try {
    findings = await findBackends({ environment });
  } catch (error) {
    if (!(error instanceof RootwardSandboxError)) throw error;
    return [{ topic: TOPIC, state: 'problem', detail: error.message, fix: 'Correct or remove the variable' }];
  }
  const backend = chooseBackend(findings, sandbox);
  const wanted = [sandbox.level, ...Object.values(sandbox.programs ?? {}).map(({ level }) => level)];
  const isRequired = wanted.some((level) => level === 'write' || level === 'strict');
  const held = backend === undefined ? 'without a sandbox' : `at level strict with ${backend.name}`;
  const children: Finding =
    backend === undefined && isRequired
      ? {
          topic: TOPIC,
          state: 'problem',
          detail: 'the level that was asked for cannot be provided, so no server starts',
          fix: 'Make one of the backends work, or ask for another level',
        }
      : {
          topic: TOPIC,
          state: backend === undefined ? 'note' : 'fine',
          detail: `executables run ${levelText(sandbox.level ?? 'off', held)}, language servers ${levelText(sandbox.level ?? 'auto', held)}`,
        };
  const hides = backend === undefined || backend.hides || deny.length === 0;
  return [
    ...findings.flatMap(describeBackend),
    children,
    ...(hides
      ? []
      : [
          {
            topic: TOPIC,
            state: 'note',
            detail: `${backend.name} cannot hide denied files inside the roots: executables at a level are refused, and language servers can read them`,
            fix: 'Install bubblewrap',
          } as const,
        ]),
    ...(backend?.name === 'landlock'
      ? [
          {
            topic: TOPIC,
            state: 'note',
            detail:
              'with landlock, executables can change files around something protected, such as .git, but make, rename or remove nothing in that folder',
            fix: 'Install bubblewrap',
          } as const,
        ]
      : []),
  ];
}

function levelText(level: string, held: string): string {
  if (level === 'auto') return held;
  return level === 'off' ? 'without a sandbox' : `at level ${level}`;
}

/** One for another system is not worth a line. */
function describeBackend(finding: BackendFinding): readonly Finding[] {
  const { name, backend } = finding;
  if (backend !== undefined) {
    const detail = `${name} works (${backend.detail}), guarantee ${backend.guarantee}`;
    return [{ topic: TOPIC, state: 'fine', detail }];
  }
  if ((name === 'seatbelt') !== (process.platform === 'darwin')) return [];
  return [
    {
      topic: TOPIC,
      state: 'note',
      detail: `${name} cannot be used: ${finding.reason}`,
      fix: finding.instruction,
    },
  ];
}
