import { projectOf, Workspace } from '@rootward/core';
import { ProcessGuard } from '@rootward/mcp/host';
import { findPreset, probeServer, withPreset } from '@rootward/wrap';
import { prepareSources, sourceOptions } from '../../../serve/prepare-sources.js';
import { StderrLogger } from '../../../serve/stderr-logger.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { showFindings, type Finding } from '../../output/show-findings.js';
import { displayFor, FAILED, FINE, printJson, type Terminal } from '../../output/terminal.js';
import { findCommand } from '../../../wrapped/find-command.js';

/** Starts a server as `rootward wrap` would, and says what it asked for. */
export async function runDoctorWrapped(
  words: readonly string[],
  settings: LoadedSettings,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): Promise<number> {
  const findings = [...describePreset(words), ...(await tryServer(words, settings, terminal))];
  if (json) printJson(terminal, { findings });
  else terminal.out(showFindings(findings, {}, displayFor(terminal, 'out')));
  return findings.some(({ state }) => state === 'problem') ? FAILED : FINE;
}

function describePreset(words: readonly string[]): readonly Finding[] {
  const preset = findPreset(words);
  if (preset === undefined) return [];
  return [
    {
      topic: 'preset',
      state: 'note',
      detail: `${preset.server} has to be told its folders: add ${preset.args.join(' ')} (${preset.source})`,
    },
  ];
}

async function tryServer(
  words: readonly string[],
  settings: LoadedSettings,
  { start }: Terminal,
): Promise<readonly Finding[]> {
  const log = new StderrLogger(settings.logLevel);
  const { sources } = await prepareSources(settings, sourceOptions(settings, start, log));
  using workspace = new Workspace({ sources });
  const { roots } = workspace.snapshot();
  const folder = roots.find(({ kind }) => kind === 'directory');
  if (folder === undefined) {
    const fix = 'Name a folder in front of the two dashes, such as . for the current one';
    return [{ topic: 'roots', state: 'problem', detail: 'there is no folder to start it in', fix }];
  }
  const { command, args } = await findCommand(words, start);
  using guard = new ProcessGuard({ watchParent: false });
  try {
    const report = await probeServer({
      template: {
        command,
        args: withPreset([command, ...args]).slice(1),
        set: {},
        environment: process.env,
      },
      roots,
      children: guard.children,
      project: projectOf(folder).name,
    });
    await guard.children.end();
    return [
      {
        topic: 'server',
        state: 'fine',
        detail: `${report.name} ${report.version}, revision ${report.revision}`,
      },
      { topic: 'offers', state: 'fine', detail: `${report.capabilities.join(', ')}; ${report.tools} tools` },
      {
        topic: 'roots',
        state: 'fine',
        detail: report.askedForRoots
          ? 'it asked for roots: a change of the folders is told to it'
          : 'it did not ask for roots: a change of its folder restarts it',
      },
      ...(report.noise > 0
        ? [
            {
              topic: 'output',
              state: 'note',
              detail: `${report.noise} bytes that are no message go to stderr`,
            } as const,
          ]
        : []),
    ];
  } catch (error) {
    await guard.children.end();
    const detail = `Cannot use it: ${error instanceof Error ? error.message : String(error)}`;
    return [
      { topic: 'server', state: 'problem', detail, fix: 'Run the command by itself, and see what it says' },
    ];
  }
}
