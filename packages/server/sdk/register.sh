# shellcheck shell=bash
# Runs server.d/register.sh of a project, named by the first argument, with the helpers it registers things with. Each
# prints a record; the server reads them.

_mcp_record() {
  local json=${2-}
  printf '\036%s %s\n' "$1" "${json//$'\n'/ }"
}

mcp_tools_manual_begin() { _mcp_record tools; }
mcp_tools_register_manual() { _mcp_record tools "${1-}"; }
mcp_tools_manual_finalize() { :; }
mcp_resources_manual_begin() { _mcp_record resources; }
mcp_resources_register_manual() { _mcp_record resources "${1-}"; }
mcp_resources_manual_finalize() { :; }
mcp_resources_templates_manual_begin() { _mcp_record resourceTemplates; }
mcp_resources_templates_register_manual() { _mcp_record resourceTemplates "${1-}"; }
mcp_resources_templates_manual_finalize() { :; }
mcp_prompts_manual_begin() { _mcp_record prompts; }
mcp_prompts_register_manual() { _mcp_record prompts "${1-}"; }
mcp_prompts_manual_finalize() { :; }
mcp_completion_manual_begin() { _mcp_record completions; }
mcp_completion_register_manual() { _mcp_record completions "${1-}"; }
mcp_completion_manual_finalize() { :; }

# shellcheck disable=SC1090
source "${1:?}"
