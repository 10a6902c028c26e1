#!/usr/bin/env bash
set -euo pipefail
source "${MCP_SDK:?}/tool-sdk.sh"

path=$(mcp_args_require '.path')
if ! mcp_roots_contains "$path"; then
  mcp_error permission_denied "$path is outside the roots" --hint "Name a file inside: $(mcp_roots_list)"
fi
mcp_emit_text "Contents of $path"
cat -- "$path"
