# shellcheck shell=bash
# Tools that load this beside tool-sdk.sh find its helpers there already.
