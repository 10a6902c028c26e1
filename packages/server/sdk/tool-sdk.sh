# shellcheck shell=bash
# Helpers for tools written in shell. Source it:  source "${MCP_SDK:?}/tool-sdk.sh"
# Needs bash 3.2 or newer. jq or gojq is used where there is one, Node otherwise.

_mcp_newline=$'\n'

# ---- JSON ------------------------------------------------------------------------------------------------------------

# Sets REPLY to the argument as a JSON string, with its quotes.
_mcp_quote() {
  local text=$1 code char escaped
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\r'/\\r}
  text=${text//$'\t'/\\t}
  case $text in
    *[[:cntrl:]]*)
      code=1
      while [ "$code" -lt 32 ]; do
        printf -v char "\\x$(printf '%x' "$code")"
        printf -v escaped '\\u%04x' "$code"
        text=${text//"$char"/$escaped}
        code=$((code + 1))
      done
      ;;
  esac
  REPLY="\"$text\""
}

# mcp_json_escape TEXT: the text as a JSON string, with its quotes.
mcp_json_escape() {
  local REPLY
  _mcp_quote "${1-}"
  printf '%s' "$REPLY"
}

# mcp_json_obj KEY VALUE [KEY VALUE ...]: an object with string values.
mcp_json_obj() {
  local REPLY object='' comma=''
  if [ $(($# % 2)) -ne 0 ]; then
    printf 'mcp_json_obj: a key without a value: %s\n' "${!#}" >&2
    return 1
  fi
  while [ $# -gt 0 ]; do
    _mcp_quote "$1"
    object="$object$comma$REPLY:"
    _mcp_quote "$2"
    object="$object$REPLY"
    comma=,
    shift 2
  done
  printf '{%s}' "$object"
}

# mcp_json_arr VALUE [VALUE ...]: a list of strings.
mcp_json_arr() {
  local REPLY list='' comma='' each
  for each in "$@"; do
    _mcp_quote "$each"
    list="$list$comma$REPLY"
    comma=,
  done
  printf '[%s]' "$list"
}

# Runs a jq filter over stdin, printing strings without quotes.
_mcp_filter() {
  if [ -n "${MCPBASH_JSON_TOOL_BIN:-}" ]; then
    "$MCPBASH_JSON_TOOL_BIN" -r "$1"
  elif [ -n "${MCP_NODE_BIN:-}" ]; then
    "$MCP_NODE_BIN" "${MCP_SDK:?}/json-filter.mjs" "$1"
  elif command -v jq >/dev/null 2>&1; then
    jq -r "$1"
  elif command -v gojq >/dev/null 2>&1; then
    gojq -r "$1"
  else
    node "${MCP_SDK:?}/json-filter.mjs" "$1"
  fi
}

# ---- Arguments -------------------------------------------------------------------------------------------------------

# mcp_args_raw: the arguments as JSON.
mcp_args_raw() {
  # In a variable: versions of bash differ in how a brace is quoted in a default.
  local none='{}'
  if [ -n "${MCP_TOOL_ARGS_FILE:-}" ]; then
    cat -- "$MCP_TOOL_ARGS_FILE"
  else
    printf '%s' "${MCP_TOOL_ARGS_JSON:-$none}"
  fi
}

# mcp_args_get FILTER: what a jq filter finds in the arguments.
mcp_args_get() {
  mcp_args_raw | _mcp_filter "${1:-.}"
}

# mcp_args_require FILTER [MESSAGE]: the same; ends the tool when there is nothing.
mcp_args_require() {
  local value
  value=$(mcp_args_get "$1" 2>/dev/null) || value=
  if [ -z "$value" ] || [ "$value" = null ]; then
    mcp_fail_invalid_args "${2:-$1 is required}"
  fi
  printf '%s' "$value"
}

# mcp_args_bool FILTER [--default true|false]: true or false.
mcp_args_bool() {
  local filter=$1 fallback='' value
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --default) fallback=${2-}; shift ;;
    esac
    shift
  done
  value=$(mcp_args_get "$filter" 2>/dev/null) || value=
  case $value in
    true | 1) printf 'true' ;;
    false | 0) printf 'false' ;;
    '' | null)
      [ -n "$fallback" ] || mcp_fail_invalid_args "$filter is required"
      printf '%s' "$fallback"
      ;;
    *) mcp_fail_invalid_args "$filter must be true or false" ;;
  esac
}

# mcp_args_int FILTER [--default N] [--min N] [--max N]: an integer.
mcp_args_int() {
  local filter=$1 fallback='' min='' max='' value
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --default) fallback=${2-}; shift ;;
      --min) min=${2-}; shift ;;
      --max) max=${2-}; shift ;;
    esac
    shift
  done
  value=$(mcp_args_get "$filter" 2>/dev/null) || value=
  if [ -z "$value" ] || [ "$value" = null ]; then
    [ -n "$fallback" ] || mcp_fail_invalid_args "$filter is required"
    value=$fallback
  fi
  case ${value#-} in
    '' | *[!0-9]*) mcp_fail_invalid_args "$filter must be an integer" ;;
    # More digits than the shell can compare: the bounds below would let it pass.
    ???????????????????*) mcp_fail_invalid_args "$filter is too large a number" ;;
  esac
  if [ -n "$min" ] && [ "$value" -lt "$min" ]; then mcp_fail_invalid_args "$filter must be at least $min"; fi
  if [ -n "$max" ] && [ "$value" -gt "$max" ]; then mcp_fail_invalid_args "$filter must be at most $max"; fi
  printf '%s' "$value"
}

# ---- Roots -----------------------------------------------------------------------------------------------------------

# mcp_roots_list: one canonical path per line.
mcp_roots_list() {
  if [ -n "${MCP_ROOTS_PATHS_FILE:-}" ]; then
    cat -- "$MCP_ROOTS_PATHS_FILE"
  else
    printf '%s' "${MCP_ROOTS_PATHS:-}"
  fi
}

# mcp_roots_count: how many there are.
mcp_roots_count() {
  printf '%s' "${MCP_ROOTS_COUNT:-0}"
}

# Sets REPLY to the path with every link resolved, as far as it exists. ".." means what the disk says. "~" and "~/x" mean
# the home directory, as they do for the tools of the server.
_mcp_canonical() {
  local rest=$1 done='' part target hops=0
  case $rest in
    '' | *"$_mcp_newline"*) return 1 ;;
    /*) ;;
    '~' | '~/'*) rest="${HOME:?}${rest#'~'}" || return 1 ;;
    *) rest="$(pwd -P)/$rest" || return 1 ;;
  esac
  while [ -n "$rest" ]; do
    part=${rest%%/*}
    case $rest in
      */*) rest=${rest#*/} ;;
      *) rest= ;;
    esac
    case $part in
      '' | .) continue ;;
      ..) done=${done%/*}; continue ;;
    esac
    if [ -L "$done/$part" ]; then
      hops=$((hops + 1))
      [ "$hops" -le 40 ] || return 1
      target=$(readlink -- "$done/$part" && printf x) || return 1
      target=${target%x}
      target=${target%"$_mcp_newline"}
      case $target in /*) done= ;; esac
      rest="$target/$rest"
    else
      done="$done/$part"
    fi
  done
  REPLY=${done:-/}
}

# Whether a canonical path is a root or inside one.
_mcp_in_roots() {
  local root
  while IFS= read -r root || [ -n "$root" ]; do
    [ -n "$root" ] || continue
    if [ "$root" = / ] || [ "$1" = "$root" ]; then return 0; fi
    # Quoted, so that the name of a root is never taken for a pattern.
    case $1 in "$root"/*) return 0 ;; esac
  done <<EOF
$(mcp_roots_list)
EOF
  return 1
}

# mcp_roots_contains PATH: whether the path is inside a root. Relative paths are relative to the current directory, as
# they are for the command that uses the path next. Without roots, nothing is inside.
mcp_roots_contains() {
  local REPLY
  _mcp_canonical "${1-}" || return 1
  _mcp_in_roots "$REPLY"
}

# mcp_require_path FILTER [--default-to-single-root] [--allow-empty]: the canonical path an argument names; ends the tool
# when it is outside the roots. Relative paths are looked for in the current directory, then in each root.
mcp_require_path() {
  local REPLY filter=${1-} single=false empty=false value root first=''
  shift || true
  while [ $# -gt 0 ]; do
    case $1 in
      --default-to-single-root) single=true ;;
      --allow-empty) empty=true ;;
    esac
    shift
  done
  value=$(mcp_args_get "$filter" 2>/dev/null) || value=
  [ "$value" != null ] || value=
  if [ -z "$value" ] && [ "$single" = true ]; then
    [ "$(mcp_roots_count)" = 1 ] ||
      mcp_fail_invalid_args "$filter is required: there are $(mcp_roots_count) roots to choose from"
    value=$(mcp_roots_list)
  fi
  if [ -z "$value" ]; then
    if [ "$empty" = true ]; then return 0; fi
    mcp_fail_invalid_args "$filter is required"
  fi
  [ "$(mcp_roots_count)" != 0 ] || mcp_fail_invalid_args "$filter cannot be used: there are no roots"
  if _mcp_canonical "$value" && [ -e "$REPLY" ] && _mcp_in_roots "$REPLY"; then
    printf '%s' "$REPLY"
    return 0
  fi
  case $value in
    /* | '~' | '~/'*) ;;
    *)
      while IFS= read -r root; do
        [ -d "$root" ] || continue
        [ -n "$first" ] || first=$root
        if [ -e "$root/$value" ] && _mcp_canonical "$root/$value" && _mcp_in_roots "$REPLY"; then
          printf '%s' "$REPLY"
          return 0
        fi
      done <<EOF
$(mcp_roots_list)
EOF
      if [ -n "$first" ] && ! mcp_roots_contains "$value"; then value="$first/$value"; fi
      ;;
  esac
  if _mcp_canonical "$value" && _mcp_in_roots "$REPLY"; then
    printf '%s' "$REPLY"
    return 0
  fi
  mcp_fail_invalid_args "$filter is outside the roots"
}

# ---- Results ---------------------------------------------------------------------------------------------------------

# Ends the tool with a result or an error, also from within $( ), where exit would only leave the brackets.
_mcp_end_with() {
  local report=$1 printed=$2
  if [ -n "${MCP_TOOL_ERROR_FILE:-}" ]; then
    printf '%s' "$report" >"$MCP_TOOL_ERROR_FILE"
  fi
  if [ "${BASH_SUBSHELL:-0}" -gt 0 ]; then
    kill -TERM $$ 2>/dev/null
  elif [ -n "$printed" ]; then
    printf '%s\n' "$printed"
  fi
  exit 1
}

# Prints a whole result with the given structured content.
_mcp_whole() {
  local REPLY
  _mcp_quote "$1"
  printf '{"content":[{"type":"text","text":%s}],"structuredContent":%s,"isError":%s}' "$REPLY" "$1" "$2"
}

# mcp_emit_text TEXT / mcp_emit_json JSON: what the tool answers.
mcp_emit_text() { printf '%s\n' "${1-}"; }
mcp_emit_json() { printf '%s\n' "${1-}"; }

# mcp_result_success JSON: answers {"success": true, "result": JSON}.
mcp_result_success() {
  _mcp_whole "{\"success\":true,\"result\":${1:-null}}" false
  printf '\n'
}

# mcp_result_error JSON: answers {"success": false, "error": JSON}, and ends the tool.
mcp_result_error() {
  local result
  result=$(_mcp_whole "{\"success\":false,\"error\":${1:-null}}" true)
  _mcp_end_with "$result" "$result"
}

# mcp_error TYPE MESSAGE [--hint HINT] [--data JSON]: an error the caller can act on; ends the tool.
mcp_error() {
  local REPLY error hint='' data=''
  _mcp_quote "${1-}"
  error="\"type\":$REPLY"
  _mcp_quote "${2-}"
  error="$error,\"message\":$REPLY"
  [ $# -lt 2 ] && shift $# || shift 2
  while [ $# -gt 0 ]; do
    case $1 in
      --hint) hint=${2-}; [ $# -lt 2 ] || shift ;;
      --data) data=${2-}; [ $# -lt 2 ] || shift ;;
    esac
    shift
  done
  if [ -n "$hint" ]; then
    _mcp_quote "$hint"
    error="$error,\"hint\":$REPLY"
  fi
  if [ -n "$data" ]; then error="$error,\"data\":$data"; fi
  mcp_result_error "{$error}"
}

# mcp_fail CODE MESSAGE [DATA_JSON]: an error of the protocol; ends the tool.
mcp_fail() {
  local REPLY
  _mcp_quote "${2-}"
  printf '%s\n' "${2-}" >&2
  _mcp_end_with "{\"code\":${1:--32603},\"message\":$REPLY,\"data\":${3:-null}}" ''
}

# mcp_fail_invalid_args MESSAGE: the arguments are wrong; ends the tool.
mcp_fail_invalid_args() {
  mcp_fail -32602 "${1:-Invalid arguments}" ${2+"$2"}
}

# ---- While the tool runs ---------------------------------------------------------------------------------------------

_mcp_say() {
  case ${MCP_CHANNEL_FD:-} in
    7) { printf '\036%s%s\n' "${MCP_CHANNEL_TAG:-}" "$1" >&7; } 2>/dev/null || true ;;
  esac
}

# mcp_progress PERCENT MESSAGE [TOTAL]
mcp_progress() {
  local REPLY
  case ${1-} in '' | *[!0-9.]*) return 0 ;; esac
  _mcp_quote "${2-}"
  _mcp_say "{\"type\":\"progress\",\"progress\":$1,\"message\":$REPLY${3:+,\"total\":$3}}"
}

# mcp_is_cancelled: whether the caller no longer waits.
mcp_is_cancelled() {
  [ -n "${MCP_CANCEL_FILE:-}" ] && [ -e "$MCP_CANCEL_FILE" ]
}

_mcp_log() {
  local REPLY logger
  _mcp_quote "$2"
  logger=$REPLY
  _mcp_quote "$3"
  _mcp_say "{\"type\":\"log\",\"level\":\"$1\",\"logger\":$logger,\"message\":$REPLY}"
}

# mcp_log_debug LOGGER MESSAGE, and so on: a line for whoever watches the client's log.
mcp_log_debug() { _mcp_log debug "${1-}" "${2-}"; }
mcp_log_info() { _mcp_log info "${1-}" "${2-}"; }
mcp_log_warn() { _mcp_log warning "${1-}" "${2-}"; }
mcp_log_error() { _mcp_log error "${1-}" "${2-}"; }
