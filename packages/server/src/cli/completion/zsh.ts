import type { CommandShape, OptionShape, ProgramShape, Values } from './describe-program.js';

/** For a file `_rootward` on `fpath`, and to be sourced after `compinit`. */
export function zshScript(program: ProgramShape): string {
  const { commands, defaultCommand, version } = program;
  const names = commands.map(({ name }) => name);
  const described = commands.map(({ name, description }) =>
    quote(`${name}:${description.replaceAll(':', String.raw`\:`)}`),
  );
  return `#compdef rootward
# Completion of rootward ${version} for zsh
_rootward_tools() { # asks for metadata only; nothing of the project is run
  local -a tools
  local project=\${opt_args[--project]:-\${opt_args[--project-root]}}
  [[ $project == '~/'* ]] && project=$HOME/\${project[3,-1]}
  tools=(\${\${(f)"$(FORCE_COLOR=0 command rootward run-tool --list \${project:+--project} $project 2>/dev/null </dev/null)"}%% *})
  _describe -t tools tool tools
}
_rootward() {
  local -A opt_args
  local command=${defaultCommand}
  local -a commands=(
${described.map((line) => `    ${line}`).join('\n')}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe -t commands command commands
  elif (( CURRENT > 2 )); then
    case $words[2] in
      (${names.join('|')}) command=$words[2]; shift words; (( CURRENT-- )) ;;
    esac
  fi
  case $command in
${commands.map((command) => commandCase(command, command.name === defaultCommand ? program.options : [])).join('\n')}
  esac
}
if [[ $funcstack[1] == _rootward ]]; then
  _rootward "$@"
else
  compdef _rootward rootward
fi
`;
}

/** The options of the program may be given instead of those of its default command. */
function commandCase({ name, options, positionals }: CommandShape, more: readonly OptionShape[]): string {
  const lines = [
    ...[...options, ...more].filter(({ hidden }) => !hidden).flatMap(optionSpecs),
    ...positionals.map(({ values, variadic }, index) =>
      quote(
        variadic
          ? `*:${messageOf(values)}:${actionOf(values)}`
          : `${index + 1}:${messageOf(values)}:${actionOf(values)}`,
      ),
    ),
  ];
  return `    (${name})\n      _arguments -S \\\n${lines.map((line) => `        ${line}`).join(' \\\n')} ;;`;
}

function optionSpecs({ short, long, description, value, repeatable }: OptionShape): readonly string[] {
  const told = `[${description.replaceAll(/[\\[\]]/g, String.raw`\$&`)}]`;
  if (value === undefined) {
    return [long, ...(short === undefined ? [] : [short])].map((flag) =>
      quote(`${repeatable ? '*' : ''}${flag}${told}`),
    );
  }
  const { values, optional, variadic } = value;
  const rest = variadic ? `:*-*:${messageOf(values)}:` : `${optional ? '::' : ':'}${messageOf(values)}:`;
  return [quote(`${repeatable ? '*' : ''}${long}${variadic ? '' : '='}${told}${rest}${actionOf(values)}`)];
}

function messageOf({ kind }: Values): string {
  return kind === 'any' ? 'value' : kind;
}

function actionOf(values: Values): string {
  switch (values.kind) {
    case 'choice':
      return values.list
        ? `_sequence compadd - ${values.choices.join(' ')}`
        : `(${values.choices.map((choice) => choice.replaceAll(':', String.raw`\:`)).join(' ')})`;
    case 'directory':
      return '_path_files -/';
    case 'file':
      return '_files';
    case 'tool':
      return '_rootward_tools';
    case 'any':
      return ' ';
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
