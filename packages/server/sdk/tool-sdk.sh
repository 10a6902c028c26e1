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

# mcp_log LEVEL LOGGER MESSAGE: the same, with the level as a word; mcp_debug MESSAGE: for the author of the tool.
mcp_log() { _mcp_log "${1-}" "${2-}" "${3-}"; }
mcp_debug() { _mcp_log debug "${MCP_TOOL_NAME:-tool}" "$*"; }

# ---- What few tools need ---------------------------------------------------------------------------------------------

# mcp_meta_raw: what the client sent along with the call; mcp_meta_get FILTER: what a jq filter finds in it.
mcp_meta_raw() {
  local none='{}'
  if [ -n "${MCP_TOOL_META_FILE:-}" ]; then cat -- "$MCP_TOOL_META_FILE"; else printf '%s' "${MCP_TOOL_META_JSON:-$none}"; fi
}
mcp_meta_get() { mcp_meta_raw | _mcp_filter "${1:-.}"; }

# Runs a helper of the Node library: NAME, with a JSON object on stdin.
_mcp_helper() {
  "${MCP_NODE_BIN:-node}" "${MCP_SDK:?}/call-node-library.mjs" "$1"
}

# Prints an object of strings and of what is JSON already: "key" TEXT, or "key:" JSON.
_mcp_object() {
  local REPLY object='' comma=''
  while [ $# -gt 1 ]; do
    case $1 in
      *:) object="$object$comma\"${1%:}\":$2" ;;
      *)
        _mcp_quote "$2"
        object="$object$comma\"$1\":$REPLY"
        ;;
    esac
    comma=,
    shift 2
  done
  printf '{%s}' "$object"
}

# _mcp_lazy FILE NAME...: helpers that are explained in a file of this folder, which the first use of one loads.
_mcp_lazy() {
  local file=$1 name
  shift
  for name in "$@"; do eval "mcp_$name() { _mcp_load $file mcp_$name \"\$@\"; }"; done
}

_mcp_load() {
  # shellcheck disable=SC1090
  source "${MCP_SDK:?}/$1.sh"
  shift
  "$@"
}

_mcp_lazy roots roots_contains require_path
_mcp_lazy ask elicit elicit_url elicit_string elicit_confirm elicit_choice elicit_titled_choice elicit_multi_choice \
  elicit_titled_multi_choice
_mcp_lazy data is_valid_json byte_length json_truncate extract_cli_error config_load config_get with_retry download_safe \
  download_safe_or_fail
_mcp_lazy answers result_text_with_resource result_with_ui result_with_ui_data client_supports_ui tool_meta_with_ui \
  ui_form ui_table
_mcp_lazy programs run_with_progress
