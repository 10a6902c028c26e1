import { canonicalPlaces, protectedPlaces, readSources, type Logger, type Root } from '@rootward/core';
import { expandHome } from '@rootward/core/platform';
import { ChildRegistry } from '@rootward/mcp';
import { ProgramSandboxes } from '../../../sandbox/program-sandboxes.js';
import { readChoice, readToolEnvironment } from '../../../settings/values/read-values.js';
import { SANDBOX_LEVELS } from '../../../settings/values/sandbox-settings.js';
import { RootwardServerError } from '../../../error.js';
import { lazyCheck } from '../../../exec/catalogue/argument-schema.js';
import type { ToolNews } from '../../../exec/answer/channel-message.js';
import { ToolRunner } from '../../../exec/run/tool-runner.js';
import type { ToolAnswer } from '../../../exec/answer/tool-result.js';
import { countRoots } from '../../../serve/readiness.js';
import { harmless, painter } from '../../output/paint.js';
import { FAILED, FINE, printJson, displayFor, type Status, type Terminal } from '../../output/terminal.js';
import { findProject, findTool, listTools } from './find-tool.js';
import { readArguments, readTimeout } from './tool-arguments.js';

export interface RunToolFlags {
  readonly list?: boolean;
  readonly json?: boolean;
  readonly args?: string;
  readonly roots?: string;
  readonly dryRun?: boolean;
  readonly printEnv?: boolean;
  readonly timeout?: string;
  readonly project?: string;
  readonly projectRoot?: string;
  readonly toolEnv?: string;
  readonly sandbox?: string;
  readonly sandboxNetwork?: boolean;
  readonly verbose?: boolean;
}

/** Runs one executable of a tools project as a server without a client would. */
export async function runTool(
  wanted: string | undefined,
  flags: RunToolFlags,
  terminal: Terminal,
  status: Status,
): Promise<number> {
  const { environment } = terminal.start;
  const json = flags.json === true;
  const project = findProject(flags.project ?? flags.projectRoot, terminal);
  if (flags.list === true) return listTools(project, { json }, terminal);
  const tool = await findTool(wanted, project, terminal);
  const { name } = tool.metadata;
  const timeoutMs = readTimeout(flags.timeout);
  const mode =
    flags.toolEnv === undefined
      ? undefined
      : readToolEnvironment(flags.toolEnv, { name: '--tool-env', base: undefined });
  const args = readArguments(flags.args, terminal);
  const roots = await findRoots(flags.roots, project, terminal);
  const fault = await lazyCheck(tool.metadata.inputSchema)(args);
  if (fault !== undefined) {
    const hint = flags.args === undefined ? ' (give them with --args JSON)' : '';
    throw new RootwardServerError('usage', `Cannot run ${name}: its arguments do not fit: ${fault}${hint}`);
  }
  if (flags.verbose === true) {
    for (const { path, source } of roots) terminal.err(`root ${path} (${source})\n`);
  }
  if (flags.dryRun === true) {
    const paths = roots.map(({ path }) => path);
    if (json) printJson(terminal, { tool: name, file: tool.file, args, roots: paths });
    else terminal.out(`${name}: ${tool.file} with ${JSON.stringify(args)} and ${countRoots(roots)}\n`);
    return FINE;
  }
  const children = new ChildRegistry();
  using sandboxes = openSandboxes(flags, terminal.start);
  await sandboxes?.check();
  using runner = new ToolRunner({
    project,
    environment,
    children,
    ...(mode !== undefined && { mode }),
    ...(sandboxes !== undefined && { sandbox: (run) => sandboxes.enter(run) }),
  });
  if (flags.printEnv === true) {
    const { variables } = await runner.environment(tool, { args }, roots);
    const entries = Object.entries(variables).sort(([one], [other]) => (one < other ? -1 : 1));
    if (json) printJson(terminal, Object.fromEntries(entries));
    else for (const [key, value] of entries) terminal.out(`${key}=${value}\n`);
    return FINE;
  }
  using interrupt = onInterrupt();
  const answer = await runner.run(tool, {
    args,
    roots: () => Promise.resolve(roots),
    signal: interrupt.signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    onMessage: (message) => {
      if (message.kind === 'progress') status.say(`Running ${name} ${describeMessage(message)}`);
      if (flags.verbose === true) terminal.err(`${harmless(describeMessage(message))}\n`);
    },
  });
  return json ? printAnswerAsJson(answer, terminal) : printAnswer(answer, terminal);
}

/** Nothing is denied here: there are no rules without a configuration file. */
function openSandboxes(
  { sandbox, sandboxNetwork }: RunToolFlags,
  { environment, home }: Terminal['start'],
): ProgramSandboxes | undefined {
  if (sandbox === undefined) return undefined;
  const level = readChoice(sandbox, SANDBOX_LEVELS, { name: '--sandbox', base: undefined });
  const settings = { level, require: undefined, backend: undefined, network: sandboxNetwork === true };
  const places = canonicalPlaces(protectedPlaces({ environment, home }));
  return new ProgramSandboxes({ settings, environment, denies: () => false, places });
}

/** As a server would find them: `--roots`, then the environment, then configuration, then the project itself. */
async function findRoots(
  given: string | undefined,
  project: string,
  { start, err }: Terminal,
): Promise<readonly Root[]> {
  const { environment, home, directory } = start;
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message, fields) => err(`rootward: ${message} ${JSON.stringify(fields ?? {})}\n`),
  };
  const named = given?.split(',').filter((path) => path !== '') ?? [];
  const roots = named.map((path) => expandHome(path, home));
  // An empty list, perhaps from an unset variable, does not ask for the roots of another source.
  if (given !== undefined && roots.length === 0) {
    throw new RootwardServerError(
      'usage',
      `Cannot use ${JSON.stringify(given)} as --roots: it names nothing`,
    );
  }
  const origins = { roots: '--roots' };
  const { operators } = await readSources({ roots, origins, directory, project, environment, home, log });
  return operators.find((statement) => statement.roots.length > 0)?.roots ?? [];
}

/** Ctrl-C ends the tool. */
function onInterrupt(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error('interrupted'));
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      process.off('SIGINT', abort);
      process.off('SIGTERM', abort);
    },
  };
}

function describeMessage(message: ToolNews): string {
  if (message.kind === 'log') return `[${message.level}] ${message.logger ?? ''} ${message.message}`;
  return `[${message.progress}/${message.total}] ${message.message ?? ''}`;
}

function printAnswer(answer: ToolAnswer, terminal: Terminal): number {
  if (answer.kind === 'protocol-error') {
    const paint = painter(displayFor(terminal, 'err'));
    terminal.err(`${paint('bad', 'rootward:')} ${harmless(answer.message)} (${answer.code})\n`);
    return FAILED;
  }
  for (const block of answer.result.content) {
    const text = block.type === 'text' ? block.text : JSON.stringify(block);
    terminal.out(text.endsWith('\n') ? text : `${text}\n`);
  }
  return answer.result.isError === true ? FAILED : FINE;
}

/** The result as a client would get it. */
function printAnswerAsJson(answer: ToolAnswer, terminal: Terminal): number {
  if (answer.kind === 'protocol-error') {
    const { code, message, data } = answer;
    printJson(terminal, { error: { code, message, ...(data !== undefined && { data }) } });
    return FAILED;
  }
  printJson(terminal, answer.result);
  return answer.result.isError === true ? FAILED : FINE;
}
