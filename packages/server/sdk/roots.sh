# shellcheck shell=bash
# Paths in the roots. tool-sdk.sh loads this file with the first of its helpers.

# Sets REPLY to the path with every link resolved, as far as it exists. ".." means what the disk says. "~" and "~/x" mean
# the home directory, as they do for the tools of the server.
_mcp_canonical() {
  local rest=$1 done='' part target hops=0
  case $rest in
    '' | *"$_mcp_newline"*) return 1 ;;
    /*) ;;
    '~' | '~/'*) rest="${HOME:?}${rest#'~'}" || return 1 ;;
    *) rest="$(pwd -P)/$rest" || return 1 ;;
  esac
  while [ -n "$rest" ]; do
    part=${rest%%/*}
    case $rest in
      */*) rest=${rest#*/} ;;
      *) rest= ;;
    esac
    case $part in
      '' | .) continue ;;
      ..) done=${done%/*}; continue ;;
    esac
    if [ -L "$done/$part" ]; then
      hops=$((hops + 1))
      [ "$hops" -le 40 ] || return 1
      target=$(readlink -- "$done/$part" && printf x) || return 1
      target=${target%x}
      target=${target%"$_mcp_newline"}
      case $target in /*) done= ;; esac
      rest="$target/$rest"
    else
      done="$done/$part"
    fi
  done
  REPLY=${done:-/}
}

# Whether a canonical path is a root or inside one.
_mcp_in_roots() {
  local root
  while IFS= read -r root || [ -n "$root" ]; do
    [ -n "$root" ] || continue
    if [ "$root" = / ] || [ "$1" = "$root" ]; then return 0; fi
    # Quoted, so that the name of a root is never taken for a pattern.
    case $1 in "$root"/*) return 0 ;; esac
  done <<EOF
$(mcp_roots_list)
EOF
  return 1
}

# mcp_roots_contains PATH: whether the path is inside a root. Relative paths are relative to the current directory, as
# they are for the command that uses the path next. Without roots, nothing is inside.
mcp_roots_contains() {
  local REPLY
  _mcp_canonical "${1-}" || return 1
  _mcp_in_roots "$REPLY"
}

# mcp_require_path FILTER [--default-to-single-root] [--allow-empty]: the canonical path an argument names; ends the tool
# when it is outside the roots. Relative paths are looked for in the current directory, then in each root.
mcp_require_path() {
  local REPLY filter=${1-} single=false empty=false value root first=''
  shift || true
  while [ $# -gt 0 ]; do
    case $1 in
      --default-to-single-root) single=true ;;
      --allow-empty) empty=true ;;
    esac
    shift
  done
  value=$(mcp_args_get "$filter" 2>/dev/null) || value=
  [ "$value" != null ] || value=
  if [ -z "$value" ] && [ "$single" = true ]; then
    [ "$(mcp_roots_count)" = 1 ] ||
      mcp_fail_invalid_args "$filter is required: there are $(mcp_roots_count) roots to choose from"
    value=$(mcp_roots_list)
  fi
  if [ -z "$value" ]; then
    if [ "$empty" = true ]; then return 0; fi
    mcp_fail_invalid_args "$filter is required"
  fi
  [ "$(mcp_roots_count)" != 0 ] || mcp_fail_invalid_args "$filter cannot be used: there are no roots"
  if _mcp_canonical "$value" && [ -e "$REPLY" ] && _mcp_in_roots "$REPLY"; then
    printf '%s' "$REPLY"
    return 0
  fi
  case $value in
    /* | '~' | '~/'*) ;;
    *)
      while IFS= read -r root; do
        [ -d "$root" ] || continue
        [ -n "$first" ] || first=$root
        if [ -e "$root/$value" ] && _mcp_canonical "$root/$value" && _mcp_in_roots "$REPLY"; then
          printf '%s' "$REPLY"
          return 0
        fi
      done <<EOF
$(mcp_roots_list)
EOF
      if [ -n "$first" ] && ! mcp_roots_contains "$value"; then value="$first/$value"; fi
      ;;
  esac
  if _mcp_canonical "$value" && _mcp_in_roots "$REPLY"; then
    printf '%s' "$REPLY"
    return 0
  fi
  mcp_fail_invalid_args "$filter is outside the roots"
}
