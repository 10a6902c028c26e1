import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { readSources } from '@rootward/core';
import type { Logger, Root } from '@rootward/core';
import { ChildRegistry } from '@rootward/mcp';
import { suggest } from '../../configuration/nearest-match.js';
import { readToolEnvironment } from '../../configuration/read-values.js';
import { RootwardServerError } from '../../error.js';
import { lazyCheck } from '../../exec/argument-schema.js';
import type { ChannelMessage } from '../../exec/channel-message.js';
import { discoverTools } from '../../exec/discover-tools.js';
import { describeProblem } from '../../exec/executable-tool.js';
import type { ExecutableTool } from '../../exec/executable-tool.js';
import { isJsonObject } from '../../exec/json.js';
import type { JsonObject } from '../../exec/json.js';
import { ToolRunner } from '../../exec/tool-runner.js';
import type { ToolAnswer } from '../../exec/tool-result.js';
import { FAILED, FINE } from '../terminal.js';
import type { Terminal } from '../terminal.js';

export interface RunToolFlags {
  readonly args?: string;
  readonly roots?: string;
  readonly dryRun?: boolean;
  readonly printEnv?: boolean;
  readonly timeout?: string;
  readonly project?: string;
  readonly projectRoot?: string;
  readonly toolEnv?: string;
  readonly verbose?: boolean;
}

const STDIN = 0;

/** Runs one executable of a tools project as a server without a client would. */
export async function runTool(name: string, flags: RunToolFlags, terminal: Terminal): Promise<number> {
  const { environment } = terminal.around;
  const project = findProject(flags, terminal);
  const tool = await findTool(name, project);
  const args = readArguments(flags.args, terminal);
  const roots = await findRoots(flags.roots, project, terminal);
  const timeoutMs = readTimeout(flags.timeout);
  const mode =
    flags.toolEnv === undefined
      ? undefined
      : readToolEnvironment(flags.toolEnv, { name: '--tool-env', base: undefined });
  const fault = await lazyCheck(tool.metadata.inputSchema)(args);
  if (fault !== undefined) {
    throw new RootwardServerError('usage', `Cannot run ${name}: its arguments do not fit: ${fault}`);
  }
  if (flags.verbose === true) {
    for (const { path, source } of roots) terminal.err(`root ${path} (${source})\n`);
  }
  if (flags.dryRun === true) {
    terminal.out(`${name}: ${tool.file} with ${JSON.stringify(args)} and ${roots.length} roots\n`);
    return FINE;
  }
  const children = new ChildRegistry();
  using runner = new ToolRunner({ project, environment, children, ...(mode !== undefined && { mode }) });
  if (flags.printEnv === true) {
    const { variables } = await runner.environment(tool, args, roots);
    for (const key of Object.keys(variables).sort()) terminal.out(`${key}=${variables[key]}\n`);
    return FINE;
  }
  using interrupt = onInterrupt();
  const answer = await runner.run(tool, {
    args,
    roots: () => Promise.resolve(roots),
    signal: interrupt.signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(flags.verbose === true && { onMessage: (message) => terminal.err(describeMessage(message)) }),
  });
  return printAnswer(answer, terminal);
}

function findProject({ project, projectRoot }: RunToolFlags, { around }: Terminal): string {
  const { environment, directory } = around;
  const named =
    project ??
    projectRoot ??
    (environment['ROOTWARD_PROJECT'] || environment['MCPBASH_PROJECT_ROOT'] || directory);
  try {
    return realpathSync(isAbsolute(named) ? named : `${directory}${sep}${named}`);
  } catch {
    throw new RootwardServerError('usage', `Cannot use ${named} as a tools project: it does not exist`);
  }
}

async function findTool(name: string, project: string): Promise<ExecutableTool> {
  const { tools, problems } = await discoverTools(project);
  const tool = tools.find(({ metadata }) => metadata.name === name);
  if (tool !== undefined) return tool;
  const known = tools.map(({ metadata }) => metadata.name);
  const broken = problems.map((problem) => `\n  ${describeProblem(problem)}`).join('');
  throw new RootwardServerError(
    'usage',
    `Cannot run ${JSON.stringify(name)}: ${project} has no such tool${suggest(name, known)}${broken}`,
  );
}

function readArguments(text: string | undefined, { around }: Terminal): JsonObject {
  if (text === undefined) return {};
  const json = readText(text, around.directory);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new RootwardServerError('usage', `Cannot use ${text} as --args: it is no JSON`, { cause: error });
  }
  if (isJsonObject(value)) return value;
  throw new RootwardServerError('usage', `Cannot use ${text} as --args: expected an object`);
}

function readText(text: string, directory: string): string {
  if (text === '-') return readFileSync(STDIN, 'utf8');
  if (!text.startsWith('@')) return text;
  const file = text.slice(1);
  try {
    return readFileSync(isAbsolute(file) ? file : `${directory}${sep}${file}`, 'utf8');
  } catch (error) {
    throw new RootwardServerError('usage', `Cannot read ${file}, given by --args`, { cause: error });
  }
}

/** As a server would find them: `--roots`, then the environment, then configuration, then the project itself. */
async function findRoots(
  given: string | undefined,
  project: string,
  { around, err }: Terminal,
): Promise<readonly Root[]> {
  const { environment, home, directory } = around;
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message, fields) => err(`rootward: ${message} ${JSON.stringify(fields ?? {})}\n`),
  };
  const roots = given?.split(',').filter((path) => path !== '') ?? [];
  const { operators } = await readSources({ roots, directory, project, environment, home, log });
  return operators.find((statement) => statement.roots.length > 0)?.roots ?? [];
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds * 1000;
  throw new RootwardServerError('usage', `Cannot use ${JSON.stringify(text)} as --timeout: expected seconds`);
}

/** The tool goes when whoever runs it presses Ctrl-C. */
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

function describeMessage(message: ChannelMessage): string {
  if (message.kind === 'log') return `[${message.level}] ${message.logger ?? ''} ${message.message}\n`;
  return `[${message.progress}/${message.total}] ${message.message ?? ''}\n`;
}

function printAnswer(answer: ToolAnswer, { out, err }: Terminal): number {
  if (answer.kind === 'protocol-error') {
    err(`rootward: ${answer.message} (${answer.code})\n`);
    return FAILED;
  }
  for (const block of answer.result.content) {
    const text = block.type === 'text' ? block.text : JSON.stringify(block);
    out(text.endsWith('\n') ? text : `${text}\n`);
  }
  return answer.result.isError === true ? FAILED : FINE;
}
