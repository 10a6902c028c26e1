"""Helpers for tools written in Python.

    sys.path.insert(0, os.environ["MCP_SDK"])
    from rootward_tool import args, require_path, result
"""

import json
import os
import sys

INVALID_ARGUMENTS = -32602
INTERNAL_ERROR = -32603


def _read(name, file_name, fallback):
    file = os.environ.get(file_name)
    if file:
        with open(file, encoding="utf-8") as handle:
            return handle.read()
    return os.environ.get(name, fallback)


def args():
    """The arguments of the call, checked against the input schema already."""
    return json.loads(_read("MCP_TOOL_ARGS_JSON", "MCP_TOOL_ARGS_FILE", "{}"))


def roots():
    """The roots of the call, as dicts with uri, name and path."""
    return json.loads(_read("MCP_ROOTS_JSON", "MCP_ROOTS_JSON_FILE", "[]"))


def contains(path):
    """Whether a path is inside a root, links resolved. Advice only: what is there may change before it is opened."""
    return bool(path) and "\0" not in path and _inside(os.path.realpath(_expand_home(path)))


def _expand_home(path):
    """"~" and "~/x" mean the home directory, as they do for the tools of the server."""
    return os.path.expanduser(path) if path == "~" or path.startswith("~/") else path


def _inside(path):
    for root in roots():
        base = root["path"]
        if path == base or path.startswith(base.rstrip(os.sep) + os.sep):
            return True
    return False


def require_path(path):
    """The canonical path; ends the tool when it is outside the roots.

    Relative ones are looked for in the current directory, then in each root.
    """
    if not isinstance(path, str) or not path or "\0" in path:
        fail("a path is required", code=INVALID_ARGUMENTS)
    folders = [os.getcwd()] + [root["path"] for root in roots()]
    found = [os.path.realpath(os.path.join(folder, _expand_home(path))) for folder in folders]
    inside = [candidate for candidate in found if _inside(candidate)]
    for candidate in [each for each in inside if os.path.exists(each)] + inside:
        return candidate
    return fail(path + " is outside the roots", code=INVALID_ARGUMENTS)


def _say(message):
    try:
        descriptor = int(os.environ.get("MCP_CHANNEL_FD", ""))
        line = "\x1e" + os.environ.get("MCP_CHANNEL_TAG", "") + json.dumps(message) + "\n"
        os.write(descriptor, line.encode("utf-8"))
    except (ValueError, OSError):
        pass  # Run by hand, or the server has gone: nobody listens.


def progress(done, message=None, total=None):
    """Tells the client how far the tool is; 100 in all unless said otherwise."""
    _say({"type": "progress", "progress": done, "message": message, "total": total})


def log(level, message, logger=None):
    """A line for whoever watches the client's log; level is debug, info, warning or error."""
    _say({"type": "log", "level": level, "message": message, "logger": logger})


def is_cancelled():
    """Whether the caller no longer waits."""
    file = os.environ.get("MCP_CANCEL_FILE")
    return bool(file) and os.path.exists(file)


def result(value):
    """Answers with data: a value that can be JSON."""
    _print(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _print(text):
    # As bytes: the stream itself writes what the system speaks, and fails at names of files that are no text.
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:  # Somebody catches the output, as a test of a tool does.
        sys.stdout.write(text + "\n")
        return
    sys.stdout.flush()
    stream.write((text + "\n").encode("utf-8", "replace"))
    stream.flush()


def tool_error(kind, message, hint=None, data=None):
    """An error the caller can act on; ends the tool."""
    error = {"type": kind, "message": message}
    if hint is not None:
        error["hint"] = hint
    if data is not None:
        error["data"] = data
    structured = {"success": False, "error": error}
    content = [{"type": "text", "text": json.dumps(structured)}]
    return _end({"content": content, "structuredContent": structured, "isError": True})


def fail(message, code=INTERNAL_ERROR, data=None):
    """An error of the protocol; ends the tool."""
    sys.stderr.write(message + "\n")
    return _end({"code": code, "message": message, "data": data})


def _end(report):
    sys.stdout.flush()
    file = os.environ.get("MCP_TOOL_ERROR_FILE")
    if file:
        with open(file, "w", encoding="utf-8") as handle:
            json.dump(report, handle)
    else:
        _print(json.dumps(report))
    sys.exit(1)
