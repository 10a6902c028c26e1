# shellcheck shell=bash
# Asking the user. tool-sdk.sh loads this file with the first of its helpers.

_mcp_ask() {
  local message=$1 timeout=${2:-600} id file REPLY waited=0
  if [ "${MCP_ELICIT_SUPPORTED:-0}" != 1 ] || [ -z "${MCP_ELICIT_RESPONSE_FILE:-}" ]; then
    printf 'This client cannot ask its user\n' >&2
    printf '{"action":"decline","content":null}'
    return 1
  fi
  if [ "${#message}" -gt 60000 ]; then
    printf 'The question is too long\n' >&2
    printf '{"action":"error","content":null}'
    return 1
  fi
  id="$$-$RANDOM$RANDOM"
  file="$MCP_ELICIT_RESPONSE_FILE.$id"
  _mcp_say "{\"type\":\"elicit\",\"id\":\"$id\",$message}"
  while [ ! -e "$file" ]; do
    if [ "$waited" -ge $((timeout * 10)) ] || mcp_is_cancelled; then
      printf '{"action":"error","content":null}'
      return 1
    fi
    sleep 0.1
    waited=$((waited + 1))
  done
  cat -- "$file"
  rm -f -- "$file"
}

# mcp_elicit MESSAGE SCHEMA [SECONDS] [form|url]: asks for what the schema describes; prints {"action","content"}.
mcp_elicit() {
  local REPLY none='{"type":"object","properties":{}}'
  if [ "${4:-form}" = url ]; then
    mcp_elicit_url "${1-}" "${2-}" "${3-}"
    return
  fi
  _mcp_quote "${1-}"
  _mcp_ask "\"mode\":\"form\",\"message\":$REPLY,\"schema\":${2:-$none}" "${3-}"
}

# mcp_elicit_url MESSAGE URL [SECONDS]: asks the user to open an address.
mcp_elicit_url() {
  local REPLY message
  _mcp_quote "${1-}"
  message=$REPLY
  _mcp_quote "${2-}"
  _mcp_ask "\"mode\":\"url\",\"message\":$message,\"url\":$REPLY" "${3-}"
}

_mcp_elicit_field() {
  local REPLY
  _mcp_quote "$2"
  mcp_elicit "$1" "{\"type\":\"object\",\"properties\":{$REPLY:$3},\"required\":[$REPLY]}"
}

# mcp_elicit_string MESSAGE [FIELD]: a line of text, in .content.FIELD (value).
mcp_elicit_string() { _mcp_elicit_field "${1-}" "${2:-value}" '{"type":"string"}'; }

# mcp_elicit_confirm MESSAGE: yes or no, in .content.confirmed.
mcp_elicit_confirm() { _mcp_elicit_field "${1-}" confirmed '{"type":"boolean"}'; }

# mcp_elicit_choice MESSAGE OPTION...: one of them, in .content.choice.
mcp_elicit_choice() {
  local message=${1-}
  shift
  _mcp_elicit_field "$message" choice "{\"type\":\"string\",\"enum\":$(mcp_json_arr "$@")}"
}

# mcp_elicit_multi_choice MESSAGE OPTION...: any of them, in .content.choices.
mcp_elicit_multi_choice() {
  local message=${1-}
  shift
  _mcp_elicit_field "$message" choices \
    "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":$(mcp_json_arr "$@")}}"
}

# "value:Title" ... as a list of {"const","title"}.
_mcp_titled() {
  local REPLY list='' comma='' each value
  for each in "$@"; do
    _mcp_quote "${each%%:*}"
    value=$REPLY
    _mcp_quote "${each#*:}"
    list="$list$comma{\"const\":$value,\"title\":$REPLY}"
    comma=,
  done
  printf '[%s]' "$list"
}

# mcp_elicit_titled_choice MESSAGE VALUE:TITLE...: one of them, in .content.choice.
mcp_elicit_titled_choice() {
  local message=${1-}
  shift
  _mcp_elicit_field "$message" choice "{\"type\":\"string\",\"oneOf\":$(_mcp_titled "$@")}"
}

# mcp_elicit_titled_multi_choice MESSAGE VALUE:TITLE...: any of them, in .content.choices.
mcp_elicit_titled_multi_choice() {
  local message=${1-}
  shift
  _mcp_elicit_field "$message" choices "{\"type\":\"array\",\"items\":{\"anyOf\":$(_mcp_titled "$@")}}"
}
