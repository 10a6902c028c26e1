// Written by "rootward install". Makes relative paths of a call absolute, so that they mean the folder of the caller.
'use strict';
const { existsSync, readFileSync, statSync } = require('node:fs');
const path = require('node:path');

const PATHS = {"read_text_file":["path"],"read_file":["path"],"read_media_file":["path"],"read_multiple_files":["paths"],"write_file":["path"],"edit_file":["path"],"create_directory":["path"],"list_directory":["path"],"list_directory_with_sizes":["path"],"directory_tree":["path"],"move_file":["source","destination"],"search_files":["path"],"get_file_info":["path"],"search_content":["path"],"copy_file":["source","destination"],"delete_file":["path"],"change_history":["path"],"undo_changes":["path"],"find_symbol":["root"],"definition":["file"],"references":["file"],"symbol_relations":["file"],"outline":["file"],"diagnostics":["file","root"],"rename_symbol":["file"],"edit_symbol":["file"]};

function isLinkedWorktree(folder) {
  for (let at = folder; ; at = path.dirname(at)) {
    const found = statSync(path.join(at, '.git'), { throwIfNoEntry: false });
    if (found !== undefined) return found.isFile();
    if (path.dirname(at) === at) return false;
  }
}

function absolute(value, folder) {
  if (typeof value !== 'string' || value === '' || path.isAbsolute(value)) return value;
  if (/^(?:~|file:|\$\{)/i.test(value)) return value;
  const found = path.resolve(folder, value);
  return existsSync(found) || isLinkedWorktree(folder) ? found : value;
}

function absolutePaths(tool, args, folder) {
  const changed = {};
  for (const name of PATHS[tool] ?? []) {
    const value = args[name];
    const result = Array.isArray(value) ? value.map((item) => absolute(item, folder)) : absolute(value, folder);
    if (JSON.stringify(result) !== JSON.stringify(value)) changed[name] = result;
  }
  return changed;
}

let answer = {};
try {
  const { cwd, tool_name: name, tool_input: args } = JSON.parse(readFileSync(0, 'utf8'));
  const tool = Object.keys(PATHS).find((known) => name.endsWith('_' + known));
  const changed = tool === undefined || !path.isAbsolute(cwd) ? {} : absolutePaths(tool, args, cwd);
  if (Object.keys(changed).length > 0) {
    answer = { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: changed } };
  }
} catch {
  // The call goes on as it is.
}
process.stdout.write(JSON.stringify(answer));
