# shellcheck shell=bash
# Data: JSON, settings, retries and downloads. tool-sdk.sh loads this file with the first of its helpers.

# mcp_is_valid_json TEXT: whether it is exactly one JSON value.
mcp_is_valid_json() {
  if [ -n "${MCPBASH_JSON_TOOL_BIN:-}" ]; then
    printf '%s' "${1-}" | "$MCPBASH_JSON_TOOL_BIN" -e -s 'length == 1' >/dev/null 2>&1
  else
    [ "$(_mcp_object text "${1-}" | _mcp_helper is-json)" = true ]
  fi
}

# mcp_byte_length TEXT: how many bytes it has.
mcp_byte_length() {
  printf '%s' "${1-}" | wc -c | tr -d ' '
}

# mcp_json_truncate JSON [BYTES] [--array-path PATH]: shortens a list; prints {"result","truncated","kept","total"}.
mcp_json_truncate() {
  local json=${1-} most=${MCPBASH_MAX_TOOL_OUTPUT_SIZE:-10485760} path=''
  [ $# -eq 0 ] || shift
  while [ $# -gt 0 ]; do
    case $1 in
      --array-path) path=${2-}; [ $# -lt 2 ] || shift ;;
      *[!0-9]* | '') ;;
      *) most=$1 ;;
    esac
    shift
  done
  if [ -n "$path" ]; then
    _mcp_object json "$json" maxBytes: "$most" arrayPath "$path" | _mcp_helper truncate
  else
    _mcp_object json "$json" maxBytes: "$most" | _mcp_helper truncate
  fi
}

# mcp_extract_cli_error STDOUT STDERR EXIT_CODE: what a program says went wrong.
mcp_extract_cli_error() {
  _mcp_object stdout "${1-}" stderr "${2-}" exitCode: "${3:-1}" | _mcp_helper cli-error
}

# Prints a JSON object from a file, or nothing.
_mcp_config_source() {
  local text
  [ -n "$1" ] && [ -f "$1" ] || return 0
  text=$(cat -- "$1") || return 0
  _mcp_config_text "$text" "$1"
}

# In one line.
_mcp_config_text() {
  local json
  json=$(printf '%s' "$1" | _mcp_filter tojson 2>/dev/null) || json=
  case $json in
    '{'*) printf '%s\n' "$json" ;;
    *) mcp_log_warn config "$2 is not a JSON object; it is not used" ;;
  esac
}

# mcp_config_load [--env NAME] [--file F] [--example F] [--defaults JSON]: puts the merged settings into MCP_CONFIG_JSON.
mcp_config_load() {
  local env='' file='' example='' defaults='' value='' sources
  while [ $# -gt 0 ]; do
    case $1 in
      --env) env=${2-} ;;
      --file) file=${2-} ;;
      --example) example=${2-} ;;
      --defaults) defaults=${2-} ;;
    esac
    [ $# -lt 2 ] && shift || shift 2
  done
  if [ -n "$env" ]; then value=${!env-}; fi
  sources=$(
    [ -z "$defaults" ] || _mcp_config_text "$defaults" --defaults
    _mcp_config_source "$example"
    _mcp_config_source "$file"
    if [[ $value =~ ^[[:space:]]*\{ ]]; then _mcp_config_text "$value" "\$$env"; else _mcp_config_source "$value"; fi
  )
  if [ -n "${MCPBASH_JSON_TOOL_BIN:-}" ]; then
    MCP_CONFIG_JSON=$(printf '%s' "$sources" | "$MCPBASH_JSON_TOOL_BIN" -c -s 'add // {}')
  else
    MCP_CONFIG_JSON=$(printf '%s' "$sources" | "${MCP_NODE_BIN:-node}" "${MCP_SDK:?}/json-filter.mjs" --merge)
  fi
  export MCP_CONFIG_JSON
  [ -n "$sources" ]
}

# mcp_config_get FILTER [--default VALUE]: one of the settings; fails where it is missing and there is no default.
mcp_config_get() {
  local value none='{}'
  value=$(printf '%s' "${MCP_CONFIG_JSON:-$none}" | _mcp_filter "${1:-.}" 2>/dev/null) || value=
  if [ -z "$value" ] || [ "$value" = null ]; then
    [ "${2-}" = --default ] || return 1
    value=${3-}
  fi
  printf '%s' "$value"
}

# mcp_with_retry ATTEMPTS SECONDS [--] COMMAND...: runs it until it succeeds, waiting twice as long each time.
mcp_with_retry() {
  local attempts=${1:-3} pause=${2:-1} count=1 code
  shift 2
  if [ "${1-}" = -- ]; then shift; fi
  while :; do
    code=0
    "$@" || code=$?
    if [ "$code" -eq 0 ] || [ "$count" -ge "$attempts" ] || mcp_is_cancelled; then return "$code"; fi
    sleep "$pause"
    pause=$(awk -v pause="$pause" 'BEGIN { print pause * 2 }')
    count=$((count + 1))
  done
}

# mcp_download_safe --url URL --out FILE [--allow HOST]... [--timeout S] [--max-bytes N] [--user-agent A]: fetches a file
# from a host the operator allows; prints {"success","bytes","path"} or {"success","error"}, and never fails.
mcp_download_safe() {
  local REPLY url='' out='' allow='' timeout=15 most=10485760 agent=rootward-tool host
  while [ $# -gt 0 ]; do
    case $1 in
      --url) url=${2-} ;;
      --out) out=${2-} ;;
      --allow)
        for host in ${2//,/ }; do
          _mcp_quote "$host"
          allow="$allow${allow:+,}$REPLY"
        done
        ;;
      --timeout) timeout=${2-} ;;
      --max-bytes) most=${2-} ;;
      --user-agent) agent=${2-} ;;
    esac
    [ $# -lt 2 ] && shift || shift 2
  done
  case $timeout$most in *[!0-9.]*) timeout=0 ;; esac
  _mcp_object url "$url" out "$out" ${allow:+allow: "[$allow]"} timeoutSecs: "$timeout" maxBytes: "${most//[!0-9]/}" \
    userAgent "$agent" | _mcp_helper download
}

# mcp_download_safe_or_fail, with the same options: prints the path; ends the tool where it fails.
mcp_download_safe_or_fail() {
  local answer
  answer=$(mcp_download_safe "$@")
  if [ "$(printf '%s' "$answer" | _mcp_filter .success)" != true ]; then
    mcp_fail_invalid_args "$(printf '%s' "$answer" | _mcp_filter .error.message)"
  fi
  printf '%s' "$answer" | _mcp_filter .path
}
