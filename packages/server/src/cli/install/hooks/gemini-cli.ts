import { isObject } from '@rootward/core/platform';
import { type Insertion } from '../formats/edit.js';
import { absolutePathsScript } from './path-arguments.js';

const NAME = 'rootward-paths';
/** Starting Node takes about 40 ms; a hook that hangs must not hold the call back for a minute. */
const TIMEOUT_MS = 5000;

/**
 * Reads the call that is about to be made, and answers with its paths made absolute. It never answers with a decision,
 * so that permissions are asked for as ever, and ends with 0 whatever happens: another code would warn or block.
 */
export function geminiHookScript(): string {
  return `// Written by "rootward install". Makes relative paths of a call absolute, so that they mean the folder of the caller.
'use strict';
const { existsSync, readFileSync, statSync } = require('node:fs');
const path = require('node:path');

${absolutePathsScript()}
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
`;
}

/** The definition of the hook. `script` is written into a shell command, so it comes quoted. */
function geminiHook(server: string, script: string): Readonly<Record<string, unknown>> {
  return {
    matcher: `mcp_${server}_.*`,
    hooks: [{ name: NAME, type: 'command', command: `node ${script}`, timeout: TIMEOUT_MS }],
  };
}

export function geminiInsertion(server: string, script: string): Insertion {
  return {
    path: ['hooks', 'BeforeTool'],
    value: geminiHook(server, script),
    isItem: (item) =>
      isObject(item) &&
      item['matcher'] === `mcp_${server}_.*` &&
      Array.isArray(item['hooks']) &&
      item['hooks'].some((hook) => isObject(hook) && hook['name'] === NAME),
  };
}
