import type { Command, Option } from 'commander';

/** What an argument may be. `any` is what no shell can guess. */
export type Values =
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly list: boolean }
  | { readonly kind: 'directory' | 'file' | 'tool' | 'any' };

export interface OptionShape {
  readonly short: string | undefined;
  readonly long: string;
  readonly description: string;
  /** Undefined for an option that stands alone. */
  readonly value:
    | { readonly values: Values; readonly optional: boolean; readonly variadic: boolean }
    | undefined;
  readonly repeatable: boolean;
  readonly hidden: boolean;
}

export interface CommandShape {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionShape[];
  readonly positionals: readonly { readonly values: Values; readonly variadic: boolean }[];
}

export interface ProgramShape {
  readonly version: string;
  readonly defaultCommand: string;
  /** Of the program itself, in place of a command; without those its default command has, too. */
  readonly options: readonly OptionShape[];
  readonly commands: readonly CommandShape[];
}

/** What completion has to know about a program, read from the parser itself. */
export function describeProgram(program: Command, defaultCommand: string): ProgramShape {
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((command) => command.name());
  const setup = commands.find((command) => command.name() === defaultCommand);
  const common = new Set(setup === undefined ? [] : optionsOf(setup).map(({ long }) => long));
  return {
    version: program.version() ?? '',
    defaultCommand,
    options: optionsOf(program).filter(({ long }) => !common.has(long)),
    commands: commands.map((command) => ({
      name: command.name(),
      description: command.description(),
      options: optionsOf(command),
      positionals: command.registeredArguments.map((argument) => ({
        values:
          argument.name() === 'command' ? choice(names) : valuesOf(argument.name(), argument.argChoices),
        variadic: argument.variadic,
      })),
    })),
  };
}

function optionsOf(command: Command): readonly OptionShape[] {
  const visible = command.createHelp().visibleOptions(command);
  const hidden = command.options.filter((option) => option.hidden);
  // An option without a long name is an alias of one that has it.
  return [...visible, ...hidden].filter(({ long }) => long !== undefined).map(shapeOf);
}

function shapeOf(option: Option): OptionShape {
  const placeholder = /[<[]([^.>\]]+)/.exec(option.flags)?.[1];
  return {
    short: option.short,
    long: option.long ?? option.short ?? option.flags,
    description: option.description,
    value:
      placeholder === undefined
        ? undefined
        : {
            values: valuesOf(placeholder, option.argChoices),
            optional: option.optional,
            variadic: option.variadic,
          },
    // A parser of its own is what puts several values together.
    repeatable: option.parseArg !== undefined || option.variadic,
    hidden: option.hidden,
  };
}

/** Told by the placeholder of the value; a plural means a comma-separated list. */
function valuesOf(placeholder: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return choice(choices, placeholder.endsWith('s'));
  if (placeholder.startsWith('dir')) return { kind: 'directory' };
  if (/^(?:file|path)s?$/.test(placeholder)) return { kind: 'file' };
  return { kind: placeholder === 'tool' ? 'tool' : 'any' };
}

function choice(choices: readonly string[], list = false): Values {
  return { kind: 'choice', choices, list };
}
