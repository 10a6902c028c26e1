# shellcheck shell=bash
# The progress of other programs. tool-sdk.sh loads this file with the first of its helpers.

# mcp_run_with_progress --pattern REGEX [--extract json|match1|ratio] [--stdout FILE] [--interval S] [--progress-file FILE]
#   [--total N] [--dry-run] [--quiet] [--stderr-file FILE] -- COMMAND...: runs it, and passes its progress on.
mcp_run_with_progress() {
  local pattern='' extract=json stdout='' interval=0.2 source='' total='' dry=false quiet=false rest='' errors pid code=0
  while [ $# -gt 0 ]; do
    case $1 in
      --) shift; break ;;
      --dry-run) dry=true; shift; continue ;;
      --quiet) quiet=true; shift; continue ;;
      --pattern) pattern=${2-} ;;
      --extract) extract=${2-} ;;
      --stdout) stdout=${2-} ;;
      --interval) interval=${2-} ;;
      --progress-file) source=${2-} ;;
      --total) total=${2-} ;;
      --stderr-file) rest=${2-} ;;
      *) break ;;
    esac
    [ $# -lt 2 ] && shift || shift 2
  done
  if [ -z "$pattern" ] || [ $# -eq 0 ]; then
    printf 'mcp_run_with_progress: --pattern and a command are required\n' >&2
    return 1
  fi
  errors=$(mktemp) || return 1
  local offset=0 partial=''
  if [ -n "$stdout" ]; then "$@" >"$stdout" 2>"$errors" & else "$@" 2>"$errors" & fi
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    _mcp_follow "${source:-$errors}"
    sleep "$interval"
  done
  wait "$pid" || code=$?
  _mcp_follow "${source:-$errors}"
  _mcp_progress_line "$partial"
  # What was written there is no progress at all where a file of its own tells of it.
  if [ -n "$source" ]; then
    if [ -n "$rest" ]; then cat "$errors" >>"$rest"; elif [ "$quiet" = false ]; then cat "$errors" >&2; fi
  fi
  rm -f -- "$errors"
  return "$code"
}

# Reads what was added to a file since last time; the state is that of mcp_run_with_progress.
_mcp_follow() {
  local size text line
  [ -f "$1" ] || return 0
  size=$(wc -c <"$1")
  [ "$size" -gt "$offset" ] || return 0
  text=$(tail -c "+$((offset + 1))" "$1" | head -c "$((size - offset))" | tr '\r' '\n' && printf x)
  offset=$size
  text="$partial${text%x}"
  partial=''
  while [ -n "$text" ]; do
    case $text in
      *"$_mcp_newline"*)
        line=${text%%"$_mcp_newline"*}
        text=${text#*"$_mcp_newline"}
        _mcp_progress_line "$line"
        ;;
      *)
        partial=$text
        text=''
        ;;
    esac
  done
}

_mcp_progress_line() {
  local line=$1 done=0 message=$1 value
  [ -n "$line" ] || return 0
  if ! [[ $line =~ $pattern ]]; then
    if [ -n "$rest" ]; then printf '%s\n' "$line" >>"$rest"; elif [ "$quiet" = false ]; then printf '%s\n' "$line" >&2; fi
    return 0
  fi
  local first=${BASH_REMATCH[1]-} second=${BASH_REMATCH[2]-}
  case $extract in
    json)
      value=$(printf '%s' "$line" | _mcp_filter '.progress // empty' 2>/dev/null) || value=
      case $value in '' | *[!0-9.]*) ;; *) done=$value ;; esac
      value=$(printf '%s' "$line" | _mcp_filter '.message // empty' 2>/dev/null) || value=
      [ -z "$value" ] || message=$value
      ;;
    ratio) done=$(_mcp_percent "$first" "$second") ;;
    *) done=$(_mcp_percent "$first" "${total:-100}") ;;
  esac
  if [ "$dry" = true ]; then
    printf '{"progress":%s,"message":%s}\n' "$done" "$(mcp_json_escape "$message")" >&2
  else
    mcp_progress "$done" "$message"
  fi
}

_mcp_percent() {
  awk -v done="$1" -v total="$2" 'BEGIN { p = total > 0 ? int(done * 100 / total) : 0; if (p > 100) p = 100; print p }'
}
