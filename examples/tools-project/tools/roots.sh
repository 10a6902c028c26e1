#!/usr/bin/env bash
# mcp: {"name":"example.roots.list","description":"Lists the roots","annotations":{"readOnlyHint":true,"openWorldHint":false}}
set -euo pipefail
source "${MCP_SDK:?}/tool-sdk.sh"

mcp_roots_list
