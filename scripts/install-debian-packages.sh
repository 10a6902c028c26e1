#!/usr/bin/env bash
# Installs what some tests use and npm does not have: clangd. Where that is not possible, those tests are skipped.
set -euo pipefail
if command -v clangd >/dev/null || compgen -c clangd- >/dev/null; then exit 0; fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo 'clangd is not installed and cannot be installed here: its tests will be skipped' >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
{ apt-get update -qq && apt-get install -y -qq --no-install-recommends clangd; } >/dev/null ||
  echo 'clangd could not be installed: its tests will be skipped' >&2
