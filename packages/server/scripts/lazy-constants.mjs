// Constants of a bundle that are made when they are first used: each becomes a function that returns it.
import { parseSync } from 'oxc-parser';

/** What `postpone()` refers to: for the head of the bundle. */
export const LAZILY = `
function __lazily(make) {
  let value;
  return () => (value ??= make());
}
`;

/** Takes a bundle before it is minified: there each constant of a module has a name that nothing else has. */
export function parse(code) {
  const { program, errors } = parseSync('program.cjs', code, { sourceType: 'script' });
  if (errors.length > 0) throw new Error(`Cannot read the bundle: ${errors[0].message}`);
  return program;
}

/** References to it must be changed by `callReferences()`. */
export function postpone(name, value, names, edits) {
  names.add(name);
  edits.push({ at: value.start, text: '__lazily(() => (' }, { at: value.end, text: '))' });
}

/** A constant has become a function that returns it. Throws where another variable has its name. */
export function callReferences(scope, names, edits) {
  const declared = new Set();
  visit(scope, (node, parent, role) => {
    // `new a().B()` would be another thing than `new (a().B)()`.
    if (node.type === 'NewExpression') innermost(node.callee).isConstructed = true;
    if (node.type !== 'Identifier' || !names.has(node.name) || node.isAlias) return;
    if (role === 'property' && parent.type === 'MemberExpression' && !parent.computed) return;
    if (role === 'id' && parent.type === 'VariableDeclarator') {
      if (declared.has(node.name)) throw new Error(`Cannot tell two variables apart: ${node.name}`);
      declared.add(node.name);
      return;
    }
    if (role === 'left' && parent.type === 'AssignmentExpression') return;
    if (parent.type === 'Property' && role === 'key' && !parent.computed) return;
    const isShort = parent.type === 'Property' && parent.shorthand;
    if (node.isConstructed) edits.push({ at: node.start, text: '(' }, { at: node.end, text: '())' });
    else edits.push({ at: node.end, text: isShort ? `: ${node.name}()` : '()' });
  });
}

/** What stands before the first dot. */
function innermost(node) {
  return node.type === 'MemberExpression' ? innermost(node.object) : node;
}

export function visit(node, see, parent, role) {
  see(node, parent, role);
  for (const [name, child] of Object.entries(node)) {
    if (Array.isArray(child)) {
      for (const each of child) if (isNode(each)) visit(each, see, node, name);
    } else if (isNode(child)) visit(child, see, node, name);
  }
}

function isNode(value) {
  return typeof value === 'object' && value !== null && typeof value.type === 'string';
}

/** Each edit puts a text into the code, or in place of what is there `until` another place. */
export function apply(code, edits) {
  const parts = [];
  let done = 0;
  for (const { at, text, until = at } of edits.toSorted((left, right) => left.at - right.at)) {
    parts.push(code.slice(done, at), text);
    done = until;
  }
  return parts.join('') + code.slice(done);
}
