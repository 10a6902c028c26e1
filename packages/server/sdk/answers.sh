# shellcheck shell=bash
# Answers with files, and pages of tools. tool-sdk.sh loads this file with the first of its helpers.

# mcp_result_text_with_resource TEXT_OR_JSON [--path FILE [--mime TYPE] [--uri URI]]...: an answer with files in it.
mcp_result_text_with_resource() {
  local answer=${1-} list='' entry='' comma=''
  [ $# -eq 0 ] || shift
  while [ $# -gt 0 ]; do
    case $1 in
      --path)
        if [ -n "$entry" ]; then list="$list$comma{$entry}"; comma=,; fi
        entry=$(_mcp_embedded "${2-}")
        ;;
      --mime) [ -z "$entry" ] || entry="$entry,\"mimeType\":$(mcp_json_escape "${2-}")" ;;
      --uri) [ -z "$entry" ] || entry="$entry,\"uri\":$(mcp_json_escape "${2-}")" ;;
    esac
    [ $# -lt 2 ] && shift || shift 2
  done
  if [ -n "$entry" ]; then list="$list$comma{$entry}"; fi
  if [ -n "$list" ]; then
    if [ -n "${MCP_TOOL_RESOURCES_FILE:-}" ]; then
      printf '[%s]' "$list" >"$MCP_TOOL_RESOURCES_FILE"
    else
      printf 'Cannot embed files: MCP_TOOL_RESOURCES_FILE is not set\n' >&2
    fi
  fi
  if mcp_is_valid_json "$answer"; then mcp_result_success "$answer"; else mcp_emit_text "$answer"; fi
}

# The file is read here, with the rights of the tool.
_mcp_embedded() {
  if [ -f "$1" ] && [ -r "$1" ]; then
    printf '"path":%s,"base64":"%s"' "$(mcp_json_escape "$1")" "$(base64 <"$1" | tr -d '\n')"
  else
    mcp_log_warn resources "$1 cannot be read; it is not embedded"
  fi
}

# mcp_result_with_ui URI TEXT [JSON]: a text for every client, and data for the page of the tool. URI is not used: the
# page is named in the metadata of the tool.
mcp_result_with_ui() {
  local REPLY
  _mcp_quote "${2-}"
  printf '{"content":[{"type":"text","text":%s}]%s,"isError":false}\n' "$REPLY" "${3:+,\"structuredContent\":$3}"
}

# mcp_result_with_ui_data URI TEXT JSON: the same.
mcp_result_with_ui_data() { mcp_result_with_ui "$@"; }

# mcp_client_supports_ui: whether the client shows pages of tools.
mcp_client_supports_ui() { [ "${MCPBASH_CLIENT_SUPPORTS_UI:-0}" = 1 ]; }

# mcp_tool_meta_with_ui URI [VISIBILITY]: what names a page in the metadata of a tool.
mcp_tool_meta_with_ui() {
  local IFS=, visibility=${2:-model,app}
  # shellcheck disable=SC2086 # split at the commas
  printf '{"ui":{"resourceUri":%s,"visibility":%s}}' "$(mcp_json_escape "${1-}")" "$(mcp_json_arr $visibility)"
}

# mcp_ui_form --title T --field NAME:TYPE[:OPTIONS]... --submit-tool TOOL: a page with a form.
mcp_ui_form() {
  local REPLY title='' fields='' tool=''
  while [ $# -gt 0 ]; do
    case $1 in
      --title) title=${2-} ;;
      --submit-tool) tool=${2-} ;;
      --field)
        _mcp_quote "${2-}"
        fields="$fields${fields:+,}$REPLY"
        ;;
    esac
    [ $# -lt 2 ] && shift || shift 2
  done
  _mcp_object title "$title" submitTool "$tool" fields: "[$fields]" | _mcp_helper form
}

# mcp_ui_table --columns A,B [--title T], with a JSON list on stdin: a page with a table.
mcp_ui_table() {
  local IFS=, columns='' title=''
  while [ $# -gt 0 ]; do
    case $1 in
      --columns) columns=${2-} ;;
      --title) title=${2-} ;;
    esac
    [ $# -lt 2 ] && shift || shift 2
  done
  # shellcheck disable=SC2086 # split at the commas
  _mcp_object json "$(cat)" columns: "$(mcp_json_arr $columns)" title "$title" | _mcp_helper table
}
