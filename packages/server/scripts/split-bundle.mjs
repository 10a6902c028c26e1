// Splits a bundle in two: what a server runs in an ordinary session, and the rest, which is read when something there is
// first used. A start then reads, compiles and runs half of the program.
import { apply, parse, visit } from './lazy-constants.mjs';

/** How esbuild writes an import on demand. */
const ON_DEMAND =
  /Promise\.resolve\(\)\.then\(\(\) => (?:\((\w+)\(\), \w+\)|__toESM\((\w+)\(\)(?:, 1)?\))\)/g;
/** What evaluates a module, once. */
const EVALUATES = /^__(?:esm|commonJS)$/;
/** Where an identifier is the name of a member or a label, and no variable. */
const MEMBERS = new Set([
  'MemberExpression.property',
  'Property.key',
  'MethodDefinition.key',
  'PropertyDefinition.key',
  'MetaProperty.meta',
  'MetaProperty.property',
  'LabeledStatement.label',
  'BreakStatement.label',
  'ContinueStatement.label',
]);
const ASSIGNMENTS = new Set([
  'AssignmentExpression.left',
  'AssignmentPattern.left',
  'ArrayPattern.elements',
  'RestElement.argument',
  'UpdateExpression.argument',
  'ForInStatement.left',
  'ForOfStatement.left',
]);

/**
 * Takes a bundle before it is minified: there a name of the outermost scope is the name of nothing else. `isFirst` says by
 * its path whether a module that is imported on demand belongs to the first part, `isRest` whether any other belongs to the
 * second although the first mentions it.
 *
 * What one part uses of the other becomes a member of an object, whose getters return what the variable holds then. The
 * first part calls `__load(members)` for the second, a function that is given these members as `__first`.
 */
export function splitBundle(code, { isFirst, isRest }) {
  const pieces = readPieces(code);
  const first = namesOfFirst(pieces, isFirst, isRest);
  const parts = { first: newPart('__rest()'), rest: newPart('__first') };
  for (const { owner, node, before, references } of pieces) {
    const isHere = owner === undefined || first.has(owner);
    const [here, there] = isHere ? [parts.first, parts.rest] : [parts.rest, parts.first];
    const foreign = references.filter(({ name }) => first.has(name) !== isHere);
    for (const { name } of foreign) there.wanted.add(name);
    const edits = foreign.map((reference) => asMember(here.other, reference, node.start));
    here.texts.push(`${before}${apply(code.slice(node.start, node.end), edits)};`);
  }
  return {
    first: `${parts.first.texts.join('\n')}
      var __read;
      function __rest() { return (__read ??= __load(${getters(parts.first.wanted)})); }`,
    rest: `${parts.rest.texts.join('\n')}
      return ${getters(parts.rest.wanted)};`,
  };
}

/** `other` is how it reaches the other part, `wanted` what the other part uses of it. */
function newPart(other) {
  return { other, texts: [], wanted: new Set() };
}

/** The declarations one by one, with the name that owns each. What no name owns runs at the start. */
function readPieces(code) {
  const pieces = [];
  for (const statement of parse(code).body) {
    if (statement.type === 'VariableDeclaration') {
      for (const node of statement.declarations) {
        if (node.id.type !== 'Identifier') throw unsplittable(`it declares a ${node.id.type}`);
        pieces.push({ owner: node.id.name, node, before: 'var ' });
      }
    } else pieces.push({ owner: ownerOf(statement), node: statement, before: '' });
  }
  const owners = new Set(pieces.map(({ owner }) => owner));
  const imports = [...code.matchAll(ON_DEMAND)].map(({ index, 0: text, 1: modern, 2: old }) => ({
    start: index,
    end: index + text.length,
    module: modern ?? old,
  }));
  return pieces.map(({ owner, node, before }) => ({
    owner,
    node,
    before,
    references: referencesIn(node, owners, imports),
  }));
}

function ownerOf({ type, id, expression }) {
  if (type === 'FunctionDeclaration') return id.name;
  if (type !== 'ExpressionStatement') throw unsplittable(`it has a ${type} of its own`);
  return expression?.callee?.name === '__export' ? expression.arguments[0].name : undefined;
}

/** Where it uses what others own, and which import on demand that is part of. */
function referencesIn(piece, owners, imports) {
  const references = [];
  const targets = new Set();
  const within = imports.filter(({ start, end }) => piece.start <= start && end <= piece.end);
  visit(piece, (node, parent, role) => {
    if (node.type === 'ObjectPattern') for (const { value } of node.properties) targets.add(value);
    if (node.type !== 'Identifier' || !owners.has(node.name)) return;
    const place = `${parent.type}.${role}`;
    if (MEMBERS.has(place) && !parent.computed) return;
    references.push({
      name: node.name,
      start: node.start,
      end: node.end,
      isCalled: place === 'CallExpression.callee' || place === 'TaggedTemplateExpression.tag',
      isShort: place === 'Property.value' && parent.shorthand,
      isAssigned: ASSIGNMENTS.has(place) || targets.has(node),
      imports: within.find(({ start, end }) => start <= node.start && node.end <= end)?.module,
    });
  });
  return references;
}

/** What the entry leads to, except through imports on demand of other modules. */
function namesOfFirst(pieces, isFirst, isRest) {
  const owned = new Map();
  for (const piece of pieces) owned.set(piece.owner, [...(owned.get(piece.owner) ?? []), piece]);
  const pathOf = (name) => modulePath(owned.get(name)[0].node);
  const isLeft = ({ name, imports }) =>
    imports === undefined ? isRest(pathOf(name) ?? '') : !isFirst(pathOf(imports));
  const names = new Set();
  const waiting = [undefined];
  while (waiting.length > 0) {
    for (const { references } of owned.get(waiting.pop())) {
      for (const reference of references) {
        if (names.has(reference.name) || isLeft(reference)) continue;
        names.add(reference.name);
        waiting.push(reference.name);
      }
    }
  }
  return names;
}

/** Undefined for what is no module. */
function modulePath({ init }) {
  return EVALUATES.test(init?.callee?.name) ? init.arguments[0].properties[0].key.value : undefined;
}

/** An import never changes in another module, so that nothing is assigned across the border. */
function asMember(object, { name, start, end, isCalled, isShort, isAssigned }, offset) {
  if (isAssigned) throw unsplittable(`${name} is assigned in the other part`);
  // Called as a member, a function would get the object as `this`.
  const member = isCalled ? `(0, ${object}.${name})` : `(${object}.${name})`;
  return { at: start - offset, until: end - offset, text: isShort ? `${name}: ${member}` : member };
}

function unsplittable(why) {
  return new Error(`Cannot split the bundle: ${why}`);
}

function getters(names) {
  return `{ ${[...names].map((name) => `get ${name}() { return ${name}; }`).join(', ')} }`;
}
