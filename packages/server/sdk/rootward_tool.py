"""Helpers for tools written in Python.

    sys.path.insert(0, os.environ["MCP_SDK"])
    from rootward_tool import args, require_path, result
"""

import json
import os
import sys
import time

# Modules that few helpers need are loaded by those: together they take longer than most tools run.

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


def meta():
    """What the client sent along with the call."""
    return json.loads(_read("MCP_TOOL_META_JSON", "MCP_TOOL_META_FILE", "{}"))


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
        return True
    except (ValueError, OSError):
        return False  # Run by hand, or the server has gone: nobody listens.


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


# Asking the user. Each returns a dict with action (accept, decline, cancel or error) and content.

_asked = 0


def elicit(message, schema, timeout=600):
    """Asks the user for what a JSON schema describes; declined where the client cannot ask."""
    return _ask({"mode": "form", "message": message, "schema": schema}, timeout)


def elicit_url(message, url, timeout=600):
    """Asks the user to open an address; nothing they enter there passes through the client."""
    return _ask({"mode": "url", "message": message, "url": url}, timeout)


def elicit_string(message, field="value"):
    """A line of text, in content under the name of the field."""
    return elicit(message, _object(field, {"type": "string"}))


def elicit_confirm(message):
    """Yes or no, in content["confirmed"]."""
    return elicit(message, _object("confirmed", {"type": "boolean"}))


def elicit_choice(message, choices):
    """One of several, in content["choice"]."""
    return elicit(message, _object("choice", {"type": "string", "enum": list(choices)}))


def elicit_titled_choice(message, choices):
    """One of several (value, title) pairs, in content["choice"]."""
    return elicit(message, _object("choice", {"type": "string", "oneOf": _titled(choices)}))


def elicit_multi_choice(message, choices):
    """Any of several, in content["choices"]."""
    items = {"type": "string", "enum": list(choices)}
    return elicit(message, _object("choices", {"type": "array", "items": items}))


def elicit_titled_multi_choice(message, choices):
    """Any of several (value, title) pairs, in content["choices"]."""
    return elicit(message, _object("choices", {"type": "array", "items": {"anyOf": _titled(choices)}}))


def _object(field, schema):
    return {"type": "object", "properties": {field: schema}, "required": [field]}


def _titled(choices):
    return [{"const": value, "title": title} for value, title in choices]


def _ask(question, timeout):
    global _asked
    start = os.environ.get("MCP_ELICIT_RESPONSE_FILE")
    if os.environ.get("MCP_ELICIT_SUPPORTED") != "1" or not start:
        return {"action": "decline", "content": None}
    _asked += 1
    name = "%d-%d" % (os.getpid(), _asked)
    if not _say(dict(question, type="elicit", id=name)):
        return {"action": "error", "content": None}
    file = start + "." + name
    deadline = time.monotonic() + timeout
    while not os.path.exists(file):
        if time.monotonic() > deadline:
            return {"action": "error", "content": None}
        time.sleep(0.05)
    with open(file, encoding="utf-8") as handle:
        answer = json.load(handle)
    os.unlink(file)
    return answer


# Answers


def result_with_resources(value, files):
    """Answers with data or a text, and with files in it: dicts with path, mimeType and uri, the last two optional."""
    import base64

    entries = []
    for each in files:
        with open(each["path"], "rb") as handle:
            entries.append(dict(each, base64=base64.b64encode(handle.read()).decode("ascii")))
    target = os.environ.get("MCP_TOOL_RESOURCES_FILE")
    if target:
        with open(target, "w", encoding="utf-8") as handle:
            json.dump(entries, handle)
    else:
        sys.stderr.write("Cannot embed files: MCP_TOOL_RESOURCES_FILE is not set\n")
    if isinstance(value, str):
        _print(value)
        return
    structured = {"success": True, "result": value}
    _whole(json.dumps(structured, ensure_ascii=False), structured)


def client_supports_ui():
    """Whether the client shows pages of tools (MCP Apps)."""
    return os.environ.get("MCPBASH_CLIENT_SUPPORTS_UI") == "1"


def result_with_ui(text, data=None):
    """Answers with a text for every client, and data for the page that belongs to the tool."""
    _whole(text, data)


def _whole(text, data):
    answer = {"content": [{"type": "text", "text": text}], "isError": False}
    if data is not None:
        answer["structuredContent"] = data
    result(answer)


# Data


def load_config(env=None, file=None, example=None, defaults=None):
    """The settings of a tool: defaults, then those of the example, the file and the variable, key by key."""
    merged = dict(defaults or {})
    variable = os.environ.get(env, "") if env else ""
    for source in (example, file):
        merged.update(_config_file(source))
    is_text = variable.lstrip().startswith("{")
    merged.update(_config_text(variable, "$%s" % env) if is_text else _config_file(variable))
    return merged


def _config_file(file):
    if not file or not os.path.isfile(file):
        return {}
    with open(file, encoding="utf-8") as handle:
        return _config_text(handle.read(), file)


def _config_text(text, where):
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    log("warning", where + " is not a JSON object; it is not used", "config")
    return {}


def retry(attempts, delay, act):
    """Calls it until it does not raise, at most so many times, waiting twice as long after each failure."""
    for attempt in range(1, attempts + 1):
        try:
            return act()
        except Exception:
            if attempt == attempts:
                raise
        time.sleep(delay * 2 ** (attempt - 1))
    return None


def _helper(name, options):
    import subprocess

    node = os.environ.get("MCP_NODE_BIN", "node")
    script = os.path.join(os.environ["MCP_SDK"], "call-node-library.mjs")
    done = subprocess.run([node, script, name], input=json.dumps(options).encode("utf-8"), stdout=subprocess.PIPE, check=True)
    return done.stdout.decode("utf-8")


def truncate(value, max_bytes, array_path=None):
    """Shortens a list until the value takes at most so many bytes; a dict with result, truncated, kept and total."""
    options = {"json": json.dumps(value), "maxBytes": max_bytes}
    if array_path is not None:
        options["arrayPath"] = array_path
    return json.loads(_helper("truncate", options))


def cli_error(stdout, stderr, exit_code):
    """What a program says went wrong."""
    return _helper("cli-error", {"stdout": stdout, "stderr": stderr, "exitCode": exit_code})


def download(url, out, allow=None, timeout=15, max_bytes=10485760, user_agent="rootward-tool"):
    """Fetches a file from a host the operator allows; a dict with success, and bytes and path or error."""
    options = {"url": url, "out": out, "timeoutSecs": timeout, "maxBytes": max_bytes, "userAgent": user_agent}
    if allow is not None:
        options["allow"] = list(allow)
    return json.loads(_helper("download", options))


def ui_form(title, fields, submit_tool):
    """A page with a form: fields are dicts with name, type and options."""
    return _helper("form", {"title": title, "fields": list(fields), "submitTool": submit_tool})


def ui_table(rows, columns, title=""):
    """A page with a table."""
    return _helper("table", {"json": json.dumps(rows), "columns": list(columns), "title": title})


def run_with_progress(command, pattern, extract="json", total=100):
    """Runs a program and passes the progress it tells in its error output on; returns (exit code, stdout, stderr)."""
    import re
    import subprocess
    import threading

    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    others = []

    def follow():
        rest = b""
        for chunk in iter(lambda: child.stderr.read1(65536), b""):
            lines = re.split(b"\r\n|\r|\n", rest + chunk)
            rest = lines.pop()
            for line in lines:
                _progress_line(line.decode("utf-8", "replace"), pattern, extract, total, others)
        _progress_line(rest.decode("utf-8", "replace"), pattern, extract, total, others)

    thread = threading.Thread(target=follow)
    thread.start()
    stdout = child.stdout.read()
    thread.join()
    return child.wait(), stdout.decode("utf-8", "replace"), "\n".join(others)


def _progress_line(line, pattern, extract, total, others):
    import re

    match = re.search(pattern, line)
    if match is None:
        if line:
            others.append(line)
        return
    if extract == "json":
        try:
            said = json.loads(line)
        except ValueError:
            said = {}
        done = said.get("progress") if isinstance(said, dict) else None
        progress(done if isinstance(done, (int, float)) else 0, said.get("message", line) if isinstance(said, dict) else line)
        return
    try:
        whole = float(match.group(2)) if extract == "ratio" else total
        progress(max(0, min(100, int(float(match.group(1)) * 100 / whole))), line)
    except (ValueError, ZeroDivisionError, IndexError):
        progress(0, line)
