import type { CommandShape, OptionShape, ProgramShape, Values } from './describe-program.js';

/** For bash 3.2 and newer, without the library many systems have for it. */
export function bashScript(program: ProgramShape): string {
  const { commands, defaultCommand, version } = program;
  const names = commands.map(({ name }) => name);
  return `# Completion of rootward ${version} for bash
_rootward_add() { # the words that start with what is typed
  local word
  for word in "$@"; do [[ $word == "$value"* ]] && COMPREPLY+=("$word"); done
  [[ \${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null # more is to follow
}
_rootward_add_list() { # the same, for the last of several with commas between
  local word before=''
  [[ $value == *,* ]] && before=\${value%,*},
  for word in "$@"; do [[ $before$word == "$value"* ]] && COMPREPLY+=("$before$word"); done
  compopt -o nospace 2>/dev/null
}
_rootward_add_paths() { # d for folders, f for files too
  local path
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "-$1" -- "$value")
  compopt -o filenames 2>/dev/null
}
_rootward_add_tools() { # asks for metadata only; nothing of the project is run
  local name rest
  [[ $project == '~/'* ]] && project=$HOME/\${project:2}
  while read -r name rest; do _rootward_add "$name"; done < <(
    FORCE_COLOR=0 command rootward run-tool --list \${project:+--project "$project"} 2>/dev/null </dev/null
  )
}
_rootward() {
  local word value flag='' raw command=${defaultCommand} first=1 count=0 bare=0 glued='' waits='' many='' project='' i
  local -a words=()
  COMPREPLY=()
  # Readline cuts words at "=" and ":"; here they are put together again.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $count -gt 1 && ( $glued || $word == [=:] ) ]]; then
      words[count - 1]=\${words[count - 1]}$word
    else
      words[count]=$word
      count=$((count + 1))
    fi
    glued=''
    [[ $word == [=:] ]] && glued=1
  done
  raw=\${COMP_WORDS[COMP_CWORD]}
  [[ $raw == [=:] ]] && raw=''
  value=\${words[count - 1]}
  if [[ $count -gt 2 ]]; then
    case \${words[1]} in
      ${names.join(' | ')}) command=\${words[1]} first=2 ;;
    esac
  fi
  for ((i = first; i < count - 1; i++)); do
    word=\${words[i]}
    if [[ $waits && ( $waits == required || $word != -* ) ]]; then
      [[ $flag == --project* ]] && project=$word
      [[ $many ]] || waits='' flag=''
      continue
    fi
    waits='' many='' flag=''
    case "$command $word" in
${waitCases(commands)}
      *' --project='* | *' --project-root='*) project=\${word#*=} ;;
      *' -'*) ;;
      *) bare=$((bare + 1)) ;;
    esac
  done
  if [[ -z $flag && $value == --*=* ]]; then
    flag=\${value%%=*} value=\${value#*=} waits=required
  fi
  if [[ $flag && ( $waits == required || $value != -* ) ]]; then
    case "$command $flag" in
${valueCases(commands)}
    esac
  elif [[ $value == -* ]]; then
    [[ $count -eq 2 ]] && _rootward_add ${flagsOf(program.options).join(' ')}
    case $command in
${commands.map(({ name, options }) => `      ${name}) _rootward_add ${flagsOf(options).join(' ')} ;;`).join('\n')}
    esac
  else
    [[ $count -eq 2 ]] && _rootward_add ${names.join(' ')}
    case "$command $bare" in
${commands.flatMap(positionalCases).join('\n')}
    esac
  fi
  # Readline replaces only what stands behind the last cut.
  local before=\${value%"$raw"}
  if [[ $before ]]; then
    for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=\${COMPREPLY[i]#"$before"}; done
  fi
}
complete -F _rootward rootward
`;
}

function flagsOf(options: readonly OptionShape[]): readonly string[] {
  return options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ short, long }) => (short === undefined ? [long] : [short, long]));
}

/** Which flags take the words that follow. */
function waitCases(commands: readonly CommandShape[]): string {
  const named = (wanted: (value: NonNullable<OptionShape['value']>) => boolean): readonly string[] =>
    commands.flatMap(({ name, options }) =>
      options
        .filter(({ value }) => value !== undefined && wanted(value))
        .map(({ long }) => `'${name} ${long}'`),
    );
  const required = named(({ optional, variadic }) => !optional && !variadic);
  const optional = named((value) => value.optional && !value.variadic);
  const many = named(({ variadic }) => variadic);
  return [
    `      ${required.join(' | ')}) waits=required flag=$word ;;`,
    `      ${optional.join(' | ')}) waits=optional flag=$word ;;`,
    `      ${many.join(' | ')}) waits=optional many=1 flag=$word ;;`,
  ].join('\n');
}

function valueCases(commands: readonly CommandShape[]): string {
  const byAction = new Map<string, string[]>();
  for (const { name, options } of commands) {
    for (const { long, value } of options) {
      const action = value === undefined ? undefined : actionOf(value.values);
      if (action === undefined) continue;
      byAction.set(action, [...(byAction.get(action) ?? []), `'${name} ${long}'`]);
    }
  }
  return [...byAction].map(([action, patterns]) => `      ${patterns.join(' | ')}) ${action} ;;`).join('\n');
}

function positionalCases({ name, positionals }: CommandShape): readonly string[] {
  return positionals.flatMap(({ values, variadic }, index) => {
    const action = actionOf(values);
    return action === undefined ? [] : [`      '${name} '${variadic ? '*' : index}) ${action} ;;`];
  });
}

function actionOf(values: Values): string | undefined {
  switch (values.kind) {
    case 'choice':
      return `_rootward_add${values.list ? '_list' : ''} ${values.choices.join(' ')}`;
    case 'directory':
      return '_rootward_add_paths d';
    case 'file':
      return '_rootward_add_paths f';
    case 'tool':
      return '_rootward_add_tools';
    case 'any':
      return undefined;
  }
}
