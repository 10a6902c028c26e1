import { Argument, Command, CommanderError, Option } from 'commander';
import { fromFlags, type ParsedFlags } from '../settings/from-flags.js';
import { loadSettings, type LoadedSettings } from '../settings/load-settings.js';
import { OPTIONS } from '../settings/values/options.js';
import { ENVIRONMENT_MODES } from '../settings/values/environment-mode.js';
import { SANDBOX_LEVELS } from '../settings/values/sandbox-settings.js';
import { VERSION } from '../version.js';
import type { InstallFlags } from './commands/install.js';
import type { HistoryFlags } from './commands/history/history.js';
import type { UndoFlags } from './commands/history/undo.js';
import type { RevokeFlags } from './commands/revoke.js';
import type { RunToolFlags } from './commands/run-tool/run-tool.js';
import type { SandboxFlags } from './commands/sandbox.js';
import type { SettingsFlags } from './commands/settings.js';
import type { UiFlags } from './commands/ui.js';
import type { WrapFlags } from './commands/wrap/wrap.js';
import {
  clientOption,
  decidesFindings,
  decidesHistory,
  decidesOwnSandbox,
  decidesRoots,
  decidesUndo,
  JSON_OPTION,
  jsonOf,
  NAME_OPTION,
  offering,
  onChangeOption,
  repeatable,
  scopeOption,
  setEnvOption,
  STORE_OPTIONS,
  texts,
  VERBOSE_OPTION,
  withOptions,
  WRAP_OPTIONS,
} from './command-options.js';
import { SHELLS } from './completion/shell.js';
import { NO_STATUS, displayFor, type Status, type Terminal } from './output/terminal.js';

export const DEFAULT_COMMAND = 'serve';

type Done = (code: number | undefined) => void;
type Work<Result> = (terminal: Terminal, status: Status) => Promise<Result>;

/**
 * Every command with its arguments and options. Help and completion are made from it; what a command does is loaded with it.
 * Where `line` means one command, only that one is made: all of them take 3 of 105 ms of the start of a server.
 */
export function createProgram(
  terminal: Terminal,
  done: Done,
  command: readonly string[] = [],
  line?: readonly string[],
): Command {
  const program = new Command('rootward')
    .description('File, code and project tools for MCP clients that never leave the folders open in them')
    .version(VERSION, '-V, --version', 'print the version')
    .addOption(new Option('-v', 'print the version').hideHelp())
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      // Errors are reported in one place, with all others.
      outputError: () => undefined,
    });

  // As `-V`, which is what the parser has by default.
  program.on('option:v', () => {
    terminal.out(`${VERSION}\n`);
    throw new CommanderError(0, 'commander.version', VERSION);
  });

  const settingsOf = (flags: ParsedFlags, directories: readonly string[]): Promise<LoadedSettings> => {
    const { environment, home, directory } = terminal.start;
    return loadSettings(fromFlags(flags, directories, { directory, home }), environment, home);
  };
  /** On a terminal, says what is being waited for. */
  const watch = async <Result>(waitingFor: string, work: Work<Result>): Promise<Result> => {
    const { live, columns = 0 } = displayFor(terminal, 'err');
    if (!live) return work(terminal, NO_STATUS);
    const { StatusLine } = await import('./output/status-line.js');
    using status = new StatusLine(terminal, waitingFor, columns);
    return await work(status.terminal, status);
  };
  /** Runs a command that ends by itself. */
  const answer = async (waitingFor: string, work: Work<number | undefined>): Promise<void> =>
    done(await watch(waitingFor, work));

  const wrapped = async (): Promise<readonly string[]> => {
    if (command.length === 0) return [];
    const { wrappedWords } = await import('./commands/wrap/wrapped-words.js');
    return wrappedWords(command, terminal.start);
  };
  const action = new Argument(
    '[action]',
    'show ID: the difference a change made; prune: enforce the bounds now',
  );
  action.argChoices = ['show', 'prune'];
  const shell = new Argument('<shell>', SHELLS.join(', '));
  shell.argChoices = [...SHELLS];
  const commands: Readonly<Record<string, (own: Command) => Command>> = {
    [DEFAULT_COMMAND]: (own) =>
      withOptions(own)
        .description('serve MCP over stdio, or over HTTP (the default command)')
        .argument('[directories...]', 'folders in scope, as with --root')
        .option(...VERBOSE_OPTION)
        .action(async (directories: string[], flags: ParsedFlags) => {
          const { parseWithoutMemory } = await import('../serve/configure-zod.js');
          parseWithoutMemory();
          const { runServe } = await import('./commands/serve/serve.js');
          const { prepareToServe } = await import('../serve/prepare-server.js');
          const setup = await watch('Getting ready', async () =>
            prepareToServe(await settingsOf(flags, directories), terminal.start),
          );
          done(await runServe(setup, terminal, { verbose: flags['verbose'] === true }));
        }),
    wrap: (own) =>
      withOptions(own, WRAP_OPTIONS)
        .description('run another MCP server inside the folders of the client')
        .argument(
          '[command...]',
          'the server and its arguments, after --; {root}, {roots}, {roots:json} and {project} are filled in',
        )
        .addOption(onChangeOption())
        .option('--share', 'with --http: one server for all sessions with the same folders and token')
        .addOption(setEnvOption())
        .addOption(repeatable('--tools <globs>', 'show only these tools, comma-separated; repeatable'))
        .addOption(repeatable('--hide-tools <globs>', 'hide these tools, comma-separated; repeatable'))
        .action(async (words: string[], flags: ParsedFlags & WrapFlags) => {
          const { runWrap } = await import('./commands/wrap/wrap.js');
          done(await runWrap([...words, ...command], flags, await settingsOf(flags, []), terminal));
        }),
    roots: (own) =>
      withOptions(own, OPTIONS, decidesRoots)
        .description('the roots a server would have here, and why')
        .argument('[directories...]', 'folders in scope, as with --root')
        .option(...JSON_OPTION)
        .action((directories: string[], flags: ParsedFlags) =>
          answer('Reading the roots', async (watched) => {
            const { runRoots } = await import('./commands/roots.js');
            return runRoots(await settingsOf(flags, directories), jsonOf(flags), watched);
          }),
        ),
    contains: (own) =>
      withOptions(own, OPTIONS, decidesRoots)
        .description('whether a path is in scope: exit code 0 or 1')
        .argument('<path>', 'a path, or a file: URI; it need not exist')
        .option(...JSON_OPTION)
        .action((path: string, flags: ParsedFlags) =>
          answer('Looking the path up', async (watched) => {
            const { runContains } = await import('./commands/contains.js');
            return runContains(await settingsOf(flags, []), path, jsonOf(flags), watched);
          }),
        ),
    doctor: (own) =>
      withOptions(own, OPTIONS, decidesFindings)
        .description('what a server finds here, what is wrong, and how to fix it')
        .argument('[directories...]', 'folders in scope, as with --root')
        .option('--verbose', 'also show every source of roots, and what known clients give')
        .option('--deep', 'also start every language server it finds, and end it again')
        .addOption(setEnvOption())
        .option(...JSON_OPTION)
        .action((directories: string[], flags: ParsedFlags & Pick<WrapFlags, 'setEnv'>) =>
          answer('Looking around', async (watched, status) => {
            if (command.length > 0) {
              const { runDoctorWrapped } = await import('./commands/wrap/doctor-wrapped.js');
              status.say('Starting the server');
              const asked = { ...jsonOf(flags), setEnv: flags.setEnv };
              return runDoctorWrapped(command, await settingsOf(flags, directories), asked, watched);
            }
            const { runDoctor } = await import('./commands/doctor/doctor.js');
            const how = {
              ...jsonOf(flags),
              verbose: flags['verbose'] === true,
              deep: flags['deep'] === true,
            };
            return runDoctor(await settingsOf(flags, directories), how, watched, status);
          }),
        ),
    validate: (own) =>
      withOptions(own)
        .description('check a configuration file, or everything a server here would use')
        .argument('[file]', 'a configuration file; without it, everything')
        .option(...JSON_OPTION)
        .action((file: string | undefined, flags: ParsedFlags) =>
          answer('Checking the configuration', async (watched, status) => {
            const { validateFile, validateHere } = await import('./commands/validate.js');
            return file === undefined
              ? validateHere(() => settingsOf(flags, []), jsonOf(flags), watched, status)
              : validateFile(file, jsonOf(flags), watched);
          }),
        ),
    sandbox: (own) =>
      withOptions(own, OPTIONS, decidesOwnSandbox)
        .description('run a command, written after --, in the sandbox of the roots')
        .argument('[directories...]', 'folders in scope, as with --root')
        .addOption(offering('--level <level>', 'off, write, strict (default) or auto', SANDBOX_LEVELS))
        .option('--explain', 'say what the command may touch instead of running it')
        .option(...JSON_OPTION)
        .action(async (directories: string[], flags: SandboxFlags & ParsedFlags) => {
          const { runSandbox } = await import('./commands/sandbox.js');
          done(await runSandbox(await settingsOf(flags, directories), flags, command, terminal));
        }),
    'run-tool': (own) =>
      own
        .description('run one executable of a tools project as a server would')
        .argument('[tool]', 'its name; --list says which there are')
        .option('--list', 'list the tools of the project')
        .option('--args <json>', 'its arguments: JSON, @FILE, or - for stdin')
        .option('--roots <paths>', 'its roots, comma-separated')
        .option('--dry-run', 'check the arguments and say what would run')
        .option('--print-env', 'print its environment instead of running it')
        .option('--timeout <seconds>', 'how long it may take')
        .option('--project <dir>', 'the tools project (default: the current directory)')
        .addOption(new Option('--project-root <dir>', 'the same').hideHelp())
        .addOption(
          offering('--tool-env <mode>', 'minimal (default), inherit, or allow:A,B', ENVIRONMENT_MODES),
        )
        .addOption(offering('--sandbox <level>', 'off (default), write, strict or auto', SANDBOX_LEVELS))
        .option('--sandbox-network', 'allow the network at level strict')
        .option('--verbose', 'print progress, log lines and roots to stderr')
        .option(...JSON_OPTION)
        .action((name: string | undefined, flags: RunToolFlags) =>
          answer(name === undefined ? 'Reading the tools' : `Running ${name}`, async (watched, status) => {
            const { runTool } = await import('./commands/run-tool/run-tool.js');
            return runTool(name, flags, watched, status);
          }),
        ),
    init: (own) =>
      own
        .description('write a configuration file, or a tools project, to start from')
        .argument('[directory]', 'where to; by default where it is found without being named')
        .option('--tools', 'a tools project with one tool in shell, Node and Python each, and their tests')
        .option('--yes', 'with --tools, write to a folder that is not empty without asking')
        .option(...JSON_OPTION)
        .action((directory: string | undefined, flags: ParsedFlags) =>
          answer('Writing files', async (watched) => {
            if (flags['tools'] === true) {
              const { runInitTools } = await import('./commands/init/init-tools.js');
              const yes = flags['yes'] === true;
              return runInitTools(directory ?? '.', { ...jsonOf(flags), yes }, watched);
            }
            const { runInit } = await import('./commands/init/init.js');
            return runInit(directory, jsonOf(flags), watched);
          }),
        ),
    settings: (own) =>
      own
        .description('what you keep about a project outside of it: show it, or add to it')
        .argument('[directory]', 'the project; by default the current directory')
        .option('--deny <globs...>', 'deny these globs in the project')
        .option('--read-only', 'refuse every change in the project')
        .option('--category <names...>', 'a category of guidance, as NAME=FOLDER')
        .option(...JSON_OPTION)
        .action((directory: string | undefined, flags: SettingsFlags) =>
          answer('Waiting for the settings', async (watched) => {
            const { runSettings } = await import('./commands/settings.js');
            return runSettings(directory, flags, watched);
          }),
        ),
    config: (own) =>
      own
        .description('print a configuration to paste into a client')
        .argument('[directories...]', 'folders to name in it; after --, a server to wrap')
        .addOption(clientOption())
        .option(...NAME_OPTION)
        .option('--url <url>', 'for a server that runs at this address')
        .option('--token <token>', 'the token of that server')
        .option(...JSON_OPTION)
        .action(async (directories: string[], flags: ParsedFlags) => {
          const { readServer, runConfig } = await import('./commands/config.js');
          const given = texts(flags);
          const server = await readServer({ directories, wrapped: await wrapped() }, given, terminal.start);
          done(await runConfig(given.client, server, jsonOf(flags), terminal));
        }),
    install: (own) =>
      own
        .description('write the server, and its hook, into the configuration of a client')
        .argument('[directories...]', 'folders to name in it; after --, a server to wrap')
        .addOption(clientOption())
        .addOption(scopeOption())
        .option(...NAME_OPTION)
        .option('--dry-run', 'show what would change')
        .option('--yes', 'write it without asking')
        .option(...JSON_OPTION)
        .action(async (directories: string[], flags: InstallFlags) => {
          const { runInstall } = await import('./commands/install.js');
          done(await runInstall({ directories, wrapped: await wrapped() }, flags, terminal));
        }),
    uninstall: (own) =>
      own
        .description('take out of the configuration of a client what install wrote')
        .addOption(clientOption())
        .addOption(scopeOption())
        .option(...NAME_OPTION)
        .option('--dry-run', 'show what would change')
        .option('--yes', 'write it without asking')
        .option(...JSON_OPTION)
        .action(async (flags: InstallFlags) => {
          const { runUninstall } = await import('./commands/install.js');
          done(await runUninstall(flags, terminal));
        }),
    ui: (own) =>
      own
        .description('serve a page that shows what running servers may touch, and lets you decide')
        .option('--port <port>', 'the port of the page (default: 7421, or the next free one)')
        .option('--open', 'open it in the browser')
        .action(async (flags: UiFlags) => {
          const { runUi } = await import('./commands/ui.js');
          done(await runUi(flags, terminal));
        }),
    demo: (own) =>
      own.description('a tour with a client and a server, in a temporary folder').action(async () => {
        const { runDemo } = await import('./commands/demo.js');
        done(await runDemo(terminal));
      }),
    history: (own) =>
      withOptions(own, OPTIONS, decidesHistory)
        .description('what was changed through the tools in these folders, newest first')
        .addArgument(action)
        .argument('[directories...]', 'folders in scope, as with --root')
        .option('--path <path>', 'only changes of this file, or below this folder')
        .option('--since <time>', 'only changes since then: 10m, 2h, 1d or a date')
        .option('--session <id>', 'only changes of one connection')
        .option('--limit <number>', 'at most so many (default 20)')
        .option(...JSON_OPTION)
        .action((first: string | undefined, rest: string[], flags: ParsedFlags & HistoryFlags) =>
          answer('Reading the history', async (watched, status) => {
            const { readHistoryWords, runHistory } = await import('./commands/history/history.js');
            const asked = readHistoryWords(
              [...(first === undefined ? [] : [first]), ...rest],
              terminal.start,
            );
            return runHistory(asked, await settingsOf(flags, asked.directories), flags, watched, status);
          }),
        ),
    undo: (own) =>
      withOptions(own, OPTIONS, decidesUndo)
        .description('take changes back, all of them or none')
        .argument('[id]', 'the change, as history lists it')
        .argument('[directories...]', 'folders in scope, as with --root')
        .option('--since <time>', 'all changes since then: 10m, 2h, 1d or a date')
        .option('--session <id>', 'all changes of one connection')
        .option('--path <path>', 'only this file, or below this folder')
        .option('--dry-run', 'show what would be restored')
        .option('--force', 'also where something else has changed a file since; what is there is kept, too')
        .option(...JSON_OPTION)
        .action((first: string | undefined, rest: string[], flags: ParsedFlags & UndoFlags) =>
          answer('Restoring', async (watched, status) => {
            const { isFolder } = await import('./commands/history/open-history.js');
            const { runUndo } = await import('./commands/history/undo.js');
            const isId = first === undefined || !isFolder(first, terminal.start);
            const directories = isId ? rest : [first, ...rest];
            const id = isId ? first : undefined;
            return runUndo(id, await settingsOf(flags, directories), flags, watched, status);
          }),
        ),
    revoke: (own) =>
      withOptions(own, STORE_OPTIONS)
        .description('refuse a handle, session or principal on every instance that shares a store')
        .option('--handle <handle>', 'a workspace handle')
        .option('--session <id>', 'a session, by its Mcp-Session-Id')
        .option('--principal <name>', 'a client or subject; of a static token, 16 digits of its SHA-256')
        .option('--lift', 'take the revocation back')
        .option(...JSON_OPTION)
        .action((flags: ParsedFlags & RevokeFlags) =>
          answer('Reaching the store', async (watched) => {
            const { runRevoke } = await import('./commands/revoke.js');
            return runRevoke(await settingsOf(flags, []), flags, watched);
          }),
        ),
    completion: (own) =>
      own
        .description('print a script that completes commands, options and values in your shell')
        .addArgument(shell)
        .action(async (name: string) => {
          const { runCompletion } = await import('./commands/completion.js');
          done(runCompletion(name, program, DEFAULT_COMMAND, terminal));
        }),
  };
  const only = line === undefined ? undefined : commandIn(line, Object.keys(commands));
  for (const [name, describe] of Object.entries(commands)) {
    if (name === (only ?? name)) describe(program.command(name, { isDefault: name === DEFAULT_COMMAND }));
  }
  return program;
}

/** The command that these words mean; undefined where all must be there to tell, or are used. */
function commandIn(words: readonly string[], commands: readonly string[]): string | undefined {
  const named = words.filter((word) => word === 'help' || commands.includes(word));
  const [name = DEFAULT_COMMAND] = named;
  if (named.length > 1 || name === 'help' || name === 'completion') return undefined;
  return named.length === 0 || words[0] === name ? name : undefined;
}
