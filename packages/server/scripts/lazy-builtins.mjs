// Node compiles a module of its own when it is first asked for. A server needs these with its first call at the earliest;
// until then it does without 0.6 MB, measured on Node 20.
import { apply, callReferences, parse, postpone, visit } from './lazy-constants.mjs';

const BUILTINS = new Set([
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:http',
  'node:readline',
  'node:timers/promises',
  'node:worker_threads',
  'node:zlib',
]);
/** How esbuild names what a module of the new kind imports. No other variable of the bundle has such a name. */
const IMPORTED = /^import_/;

/** Takes a bundle before it is minified, and needs `LAZILY` in front. */
export function lazyBuiltins(code) {
  const program = parse(code);
  const edits = [];
  const imported = new Set();
  visit(program, (node) => {
    if (node.type === 'AssignmentExpression' && IMPORTED.test(node.left.name) && isBuiltin(node.right)) {
      postpone(node.left.name, node.right, imported, edits);
    }
    if (node.type === 'FunctionExpression') requireLazily(node, edits);
  });
  if (imported.size === 0) throw new Error('Cannot find the modules of Node that the bundle imports');
  callReferences(program, imported, edits);
  return apply(code, edits);
}

/** A module of the old kind is a function, and names as it likes what it requires. */
function requireLazily(node, edits) {
  const names = new Set();
  for (const { type, declarations } of node.body.body) {
    if (type !== 'VariableDeclaration') continue;
    for (const { id, init } of declarations) if (isBuiltin(init)) postpone(id.name, init, names, edits);
  }
  if (names.size > 0) callReferences(node, names, edits);
}

function isBuiltin(value) {
  return (
    value?.type === 'CallExpression' &&
    value.callee.name === 'require' &&
    BUILTINS.has(value.arguments[0]?.value)
  );
}
