import type { CommandShape, OptionShape, ProgramShape, Values } from './describe-program.js';

/** For fish 3.1 and newer. */
export function fishScript(program: ProgramShape): string {
  const { commands, defaultCommand, version } = program;
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completion of rootward ${version} for fish
function __rootward_in # is it this command?
    set -l words (commandline -opc)
    set -l current ${defaultCommand}
    test (count $words) -gt 1; and contains -- $words[2] ${names}; and set current $words[2]
    test $current = $argv[1]
end
function __rootward_bare # how many words that are neither flags nor their values stand behind the command?
    set -l count 0
    set -l waits 0
    for word in (commandline -opc)[3..-1]
        if test $waits = 1
            set waits 0
        else if contains -- $word $argv
            set waits 1
        else if not string match -q -- '-*' $word
            set count (math $count + 1)
        end
    end
    echo $count
end
function __rootward_list # values with commas between
    set -l typed (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    set -l before (string replace -r -- '[^,]*$' '' $typed)
    printf '%s\\t\\n' $before$argv
end
function __rootward_tools # asks for metadata only; nothing of the project is run
    set -l project
    set -l words (commandline -opc)
    for i in (seq (count $words))
        if contains -- $words[$i] --project --project-root; and test $i -lt (count $words)
            set project --project (string replace -r -- '^~/' "$HOME/" $words[(math $i + 1)])
        else if string match -q -r -- '^--project(-root)?=' $words[$i]
            set project --project (string replace -r -- '^--project(-root)?=' '' $words[$i])
        end
    end
    FORCE_COLOR=0 command rootward run-tool --list $project 2>/dev/null </dev/null | string replace -r -- '  +' '\\t'
end
complete -c rootward -e
complete -c rootward -f
${commands.map(({ name, description }) => `complete -c rootward -n 'test (count (commandline -opc)) -eq 1' -a ${name} -d ${quote(description)}`).join('\n')}
${program.options.map((option) => optionLine('test (count (commandline -opc)) -eq 1', option)).join('\n')}
${commands.flatMap(commandLines).join('\n')}
`;
}

function commandLines(command: CommandShape): readonly string[] {
  const { name, options } = command;
  return [
    ...options.filter(({ hidden }) => !hidden).map((option) => optionLine(`__rootward_in ${name}`, option)),
    ...positionalLines(command),
  ];
}

function optionLine(condition: string, { short, long, description, value }: OptionShape): string {
  const flags = [...(short === undefined ? [] : [`-s ${short.slice(1)}`]), `-l ${long.slice(2)}`];
  // An optional value must not suppress other completions.
  const takes = value === undefined || value.optional ? '' : ` ${argumentOf(value.values)}`;
  return `complete -c rootward -n ${quote(condition)} ${flags.join(' ')}${takes} -d ${quote(description)}`;
}

function positionalLines({ name, options, positionals }: CommandShape): readonly string[] {
  const waiting = options
    .filter(({ value }) => value !== undefined && !value.optional)
    .map(({ long }) => long);
  return positionals.flatMap(({ values, variadic }, index) => {
    if (values.kind === 'any') return [];
    const here = `__rootward_in ${name}`;
    const condition = variadic
      ? here
      : `${here}; and test (__rootward_bare ${waiting.join(' ')}) -eq ${index}`;
    return [`complete -c rootward -n ${quote(condition)} ${argumentOf(values).replace(/^-[xr] /, '')}`];
  });
}

function argumentOf(values: Values): string {
  switch (values.kind) {
    case 'choice':
      return values.list
        ? `-x -a ${quote(`(__rootward_list ${values.choices.join(' ')})`)}`
        : `-x -a ${quote(values.choices.map((choice) => `${choice}\\t`).join(' '))}`;
    case 'directory':
      return `-x -a '(__fish_complete_directories (commandline -ct))'`;
    case 'file':
      return '-r -F';
    case 'tool':
      return `-x -a '(__rootward_tools)'`;
    case 'any':
      return '-x';
  }
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
