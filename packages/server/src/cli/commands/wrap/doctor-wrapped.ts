import { OperatorLimits, projectOf, Workspace, type Sources } from '@rootward/core';
import { ProcessGuard } from '@rootward/mcp/host';
import { findPreset, probeServer, withPreset, type CommandTemplate, type ProbeReport } from '@rootward/wrap';
import { prepareSources, sourceOptions } from '../../../serve/prepare-sources.js';
import { StderrLogger } from '../../../serve/stderr-logger.js';
import { requireWrappable } from '../../../settings/http-only.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { showFindings, type Finding } from '../../output/show-findings.js';
import { displayFor, FAILED, FINE, printJson, type Terminal } from '../../output/terminal.js';
import type { Containment } from '../../../wrapped/contain.js';
import { findCommand } from '../../../wrapped/find-command.js';
import { NOT_ENFORCED, refuseReadOnly, rulesForSandbox } from '../../../wrapped/unenforced-rules.js';
import { openSandbox } from './open-sandbox.js';
import { readVariables } from './read-variables.js';
import type { WrapFlags } from './wrap.js';

/** Starts a server as `rootward wrap` would, with the same settings, and says what it asked for. */
export async function runDoctorWrapped(
  words: readonly string[],
  settings: LoadedSettings,
  { json, setEnv }: { readonly json: boolean; readonly setEnv: WrapFlags['setEnv'] | undefined },
  terminal: Terminal,
): Promise<number> {
  const set = readVariables(setEnv);
  const findings = [...describePreset(words), ...(await tryServer(words, set, settings, terminal))];
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
  set: CommandTemplate['set'],
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
  let contained: Containment | undefined;
  try {
    requireWrappable(settings);
    contained = await openSandbox(settings, start, { sources, limits: new OperatorLimits() }, log);
    if (contained === undefined) refuseReadOnly(settings);
  } catch (error) {
    return [problemOf('settings', error, 'Correct the settings: the command wrap does not start with them')];
  }
  using guard = new ProcessGuard({ watchParent: false });
  const held = describeSandbox(contained, settings, sources);
  try {
    const report = await probeServer({
      template: {
        command,
        args: withPreset([command, ...args]).slice(1),
        set,
        environment: process.env,
      },
      roots,
      children: guard.children,
      project: projectOf(folder).name,
      contain: contained?.contain,
      sandbox: contained?.description,
    });
    return [...held, ...describeServer(report)];
  } catch (error) {
    return [...held, problemOf('server', error, 'Run the command by itself, and see what it says')];
  } finally {
    await guard.children.end();
  }
}

function describeSandbox(
  contained: Containment | undefined,
  settings: LoadedSettings,
  sources: Sources,
): readonly Finding[] {
  const topic = 'sandbox';
  if (contained !== undefined) return [{ topic, state: 'fine', detail: contained.description }];
  const rules = rulesForSandbox(settings, sources);
  const off = { topic, state: 'note', detail: 'off: it can do whatever you can' } as const;
  if (rules.length === 0) return [off];
  return [off, { topic, state: 'note', detail: `${NOT_ENFORCED}: ${rules.join(', ')}` }];
}

function describeServer(report: ProbeReport): readonly Finding[] {
  const { name, version, revision, capabilities, tools, askedForRoots, noise } = report;
  return [
    { topic: 'server', state: 'fine', detail: `${name} ${version}, revision ${revision}` },
    { topic: 'offers', state: 'fine', detail: `${capabilities.join(', ')}; ${tools} tools` },
    {
      topic: 'roots',
      state: 'fine',
      detail: askedForRoots
        ? 'it asked for roots: a change of the folders is told to it'
        : 'it did not ask for roots: a change of its folder restarts it',
    },
    ...(noise > 0
      ? [
          {
            topic: 'output',
            state: 'note',
            detail: `${noise} bytes that are no message go to stderr`,
          } as const,
        ]
      : []),
  ];
}

function problemOf(topic: string, error: unknown, otherwise: string): Finding {
  const detail = `Cannot use it: ${error instanceof Error ? error.message : String(error)}`;
  const own: unknown = error instanceof Error && 'instruction' in error ? error.instruction : undefined;
  return { topic, state: 'problem', detail, fix: typeof own === 'string' ? own : otherwise };
}
