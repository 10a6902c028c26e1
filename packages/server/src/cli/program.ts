import { Command, CommanderError, Option } from 'commander';
import { RootwardError } from '@rootward/core';
import { fromFlags } from '../configuration/from-flags.js';
import type { ParsedFlags } from '../configuration/from-flags.js';
import { loadSettings } from '../configuration/load-settings.js';
import type { LoadedSettings } from '../configuration/load-settings.js';
import { nearestMatch } from '../configuration/nearest-match.js';
import { OPTIONS } from '../configuration/options.js';
import { RootwardServerError } from '../error.js';
import { VERSION } from '../version.js';
import type { RunToolFlags } from './commands/run-tool.js';
import type { SettingsFlags } from './commands/settings.js';
import { FAILED, FINE, WRONG_USE } from './terminal.js';
import type { Terminal } from './terminal.js';

const COMMANDS = [
  'serve',
  'roots',
  'contains',
  'doctor',
  'run-tool',
  'validate',
  'init',
  'config',
  'settings',
  'help',
];

/** Runs one command line. Resolves to the exit code, or to undefined while a server lives on. */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
): Promise<number | undefined> {
  let outcome: number | undefined = FINE;
  const program = createProgram(terminal, (code) => {
    outcome = code;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return outcome;
  } catch (error) {
    return report(error, terminal);
  }
}

function report(error: unknown, { err }: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? FINE : WRONG_USE;
  if (error instanceof RootwardServerError) {
    err(`rootward: ${error.message}\n`);
    return error.code === 'listen' ? FAILED : WRONG_USE;
  }
  // What the operator named cannot be used.
  if (error instanceof RootwardError) {
    err(`rootward: ${error.message}${commandHint(error.path)}\n`);
    return WRONG_USE;
  }
  err(`rootward: ${error instanceof Error ? error.message : String(error)}\n`);
  return FAILED;
}

/** `rootward docter` reads as the folder `docter`; most likely it was meant as a command. */
function commandHint(path: string | undefined): string {
  const command = path === undefined || /[\\/.]/.test(path) ? undefined : nearestMatch(path, COMMANDS);
  return command === undefined ? '' : `; did you mean the command "${command}"?`;
}

type Done = (code: number | undefined) => void;

function createProgram(terminal: Terminal, done: Done): Command {
  const program = new Command('rootward')
    .description('File, code and project tools for MCP clients that never leave the folders open in them')
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) });

  const settingsOf = (flags: ParsedFlags, directories: readonly string[]): Promise<LoadedSettings> => {
    const { environment, home, directory } = terminal.around;
    return loadSettings(fromFlags(flags, directories, directory), environment, home);
  };

  withOptions(program.command('serve', { isDefault: true }))
    .description('serve MCP over stdio, or over HTTP (the default command)')
    .argument('[directories...]', 'folders in scope, as with --root')
    .action(async (directories: string[], flags: ParsedFlags) => {
      const { parseWithoutMemory } = await import('../serve/parsing.js');
      parseWithoutMemory();
      const { runServe } = await import('./commands/serve.js');
      done(await runServe(await settingsOf(flags, directories), terminal));
    });
  withOptions(program.command('roots'))
    .description('the roots a server would have here, and why')
    .argument('[directories...]', 'folders in scope, as with --root')
    .option('--json', 'print JSON')
    .action(async (directories: string[], flags: ParsedFlags) => {
      const { runRoots } = await import('./commands/roots.js');
      done(await runRoots(await settingsOf(flags, directories), { json: flags['json'] === true }, terminal));
    });
  withOptions(program.command('contains'))
    .description('whether a path is in scope: exit code 0 or 1')
    .argument('<path>')
    .action(async (path: string, flags: ParsedFlags) => {
      const { runContains } = await import('./commands/contains.js');
      done(await runContains(await settingsOf(flags, []), path, terminal));
    });
  withOptions(program.command('doctor'))
    .description('what a server finds here, what is wrong, and how to put it right')
    .argument('[directories...]', 'folders in scope, as with --root')
    .option('--json', 'print JSON')
    .action(async (directories: string[], flags: ParsedFlags) => {
      const { runDoctor } = await import('./commands/doctor.js');
      done(await runDoctor(await settingsOf(flags, directories), { json: flags['json'] === true }, terminal));
    });
  withOptions(program.command('validate'))
    .description('check a configuration file, or everything a server here would use')
    .argument('[file]')
    .action(async (file: string | undefined, flags: ParsedFlags) => {
      const { validateFile, validateHere } = await import('./commands/validate.js');
      done(
        file === undefined
          ? await validateHere(await settingsOf(flags, []), terminal)
          : await validateFile(file, terminal),
      );
    });
  program
    .command('run-tool')
    .description('run one executable of a tools project as a server would')
    .argument('<name>')
    .option('--args <json>', 'its arguments: JSON, @FILE, or - for stdin')
    .option('--roots <paths>', 'its roots, with commas between')
    .option('--dry-run', 'check the arguments and say what would run')
    .option('--print-env', 'print its environment instead of running it')
    .option('--timeout <seconds>', 'how long it may take')
    .option('--project <dir>', 'the tools project (default: the current directory)')
    .addOption(new Option('--project-root <dir>', 'the same').hideHelp())
    .option('--tool-env <mode>', 'minimal (default), inherit, or allow:A,B')
    .option('--verbose', 'print progress, log lines and roots to stderr')
    .action(async (name: string, flags: RunToolFlags) => {
      const { runTool } = await import('./commands/run-tool.js');
      done(await runTool(name, flags, terminal));
    });
  program
    .command('init')
    .description('write a configuration file, or a tools project, to start from')
    .argument('[directory]', 'where to; by default where it is found without being named')
    .option('--tools', 'a tools project with one tool in shell, Node and Python each, and their tests')
    .action(async (directory: string | undefined, flags: ParsedFlags) => {
      if (flags['tools'] === true) {
        const { runInitTools } = await import('./commands/init-tools.js');
        done(await runInitTools(directory ?? '.', terminal));
        return;
      }
      const { runInit } = await import('./commands/init.js');
      done(await runInit(directory, terminal));
    });
  program
    .command('settings')
    .description('what you keep about a project outside of it: show it, or add to it')
    .argument('[directory]', 'the project; by default the current directory')
    .option('--deny <globs...>', 'deny these globs in the project')
    .option('--read-only', 'refuse every change in the project')
    .option('--category <names...>', 'a category of guidance, as NAME=FOLDER')
    .action(async (directory: string | undefined, flags: SettingsFlags) => {
      const { runSettings } = await import('./commands/settings.js');
      done(await runSettings(directory, flags, terminal));
    });
  program
    .command('config')
    .description('print a configuration to paste into a client')
    .argument('[directories...]', 'folders to name in it')
    .option('--client <name>', 'the client')
    .option('--url <url>', 'for a server that runs at this address')
    .option('--token <token>', 'the token of that server')
    .action(async (directories: string[], flags: ParsedFlags) => {
      const { runConfig } = await import('./commands/config.js');
      const { client, url, token } = texts(flags);
      const connection =
        url === undefined
          ? ({ kind: 'stdio', args: directories } as const)
          : ({ kind: 'http', url, token } as const);
      done(runConfig(client, connection, terminal));
    });
  return program;
}

function texts(flags: ParsedFlags): Readonly<Record<'client' | 'url' | 'token', string | undefined>> {
  const text = (name: string): string | undefined => {
    const value = flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { client: text('client'), url: text('url'), token: text('token') };
}

function withOptions(command: Command): Command {
  for (const { flag, description, variable, separator } of OPTIONS) {
    const option = new Option(flag, `${description} [${variable}]`);
    if (separator !== undefined) {
      option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
    }
    command.addOption(option);
  }
  return command.exitOverride().showSuggestionAfterError();
}
