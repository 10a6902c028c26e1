#!/usr/bin/env bash
# Installs what some tests use and npm does not have: clangd, gopls with Go, gojq, zsh, fish, bubblewrap, Redis, openssl,
# Chromium, and a compiler and an emulator for arm64. Where that is not possible, those tests are skipped.
set -euo pipefail
missing=()
command -v clangd >/dev/null || compgen -c clangd- >/dev/null || missing+=(clangd)
for program in gopls gojq zsh fish openssl; do command -v "$program" >/dev/null || missing+=("$program"); done
command -v go >/dev/null || missing+=(golang-go)
command -v bwrap >/dev/null || missing+=(bubblewrap)
if [ "$(uname -m)" = x86_64 ]; then
  command -v aarch64-linux-gnu-gcc >/dev/null || missing+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
  command -v qemu-aarch64 >/dev/null || missing+=(qemu-user)
fi
command -v redis-server >/dev/null || missing+=(redis-server)
# The same names as in test/page/fixtures/browser.ts.
browser() { ls /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome 2>/dev/null; }
[ -n "$(browser)" ] || missing+=(chromium)
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "${missing[*]}: not installed, and cannot be installed here; their tests will be skipped" >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
{ apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >/dev/null ||
  echo "${missing[*]}: could not be installed; their tests will be skipped" >&2
