// The SDK makes some 500 schemas when it is loaded and when the first message comes, and a server uses a few dozen: a
// third of the start, and 4 MB. Here each is made when it is first used.
import { parseSync } from 'oxc-parser';

/** The function that `postpone()` refers to, for the head of the bundle. */
export const LAZILY = `
function __lazily(make) {
  let value;
  return () => (value ??= make());
}
`;

/** Modules whose schemas are constants. */
const MODULES = /@modelcontextprotocol\/core\/dist\/(?:(?:schemas|auth)-[^/]+|ext\/skills\/index)\.mjs$/;
/** Constants of the server's own module that are taken from schemas: what a form may have. */
const DERIVED = new Set(['ROOT_KEYS', 'PROPERTY_KEYS_BY_TYPE', 'SUPPORTED_STRING_FORMATS']);
/** Functions that make all schemas of a revision of the protocol, and return them. */
const BUILDERS = /^build(?:\$\d+)?$/;
/** The function that sorts those of a revision by method. */
const MAPS = 'registryMaps';
/** What takes a schema for the parameters of a method, and looks at it when a request comes. */
const HANDLES = 'setRequestHandler';
/** Objects of schemas. */
const MEMBERS = new Set(['authSchemas', 'cacheFields']);
const SCHEMA = /Schema\$?\d*$/;
const HELPERS = `
function __lazyMembers(makers) {
  const members = {};
  for (const name of Object.keys(makers)) {
    Object.defineProperty(members, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = makers[name]();
        Object.defineProperty(members, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return members;
}
`;

/** The SDK notes each schema under its name, and would make all of them for it. */
const REGISTRATION = {
  '_specTypeSchemas[name] = schema;':
    'Object.defineProperty(_specTypeSchemas, name, { get: schema, enumerable: true });',
  '(v) => schema.safeParse(v).success': '(v) => schema().safeParse(v).success',
  'register(key, schemas_exports[key])': 'register(key, () => schemas_exports[key])',
  'for (const [key, schema] of Object.entries(authSchemas)) register(key, schema);':
    'for (const key of Object.keys(authSchemas)) register(key, () => authSchemas[key]);',
};

/** Takes the module of the SDK that does so. */
export function registerLazily(contents) {
  return Object.entries(REGISTRATION).reduce((text, [eager, lazy]) => {
    if (text.split(eager).length !== 2) throw new Error(`Cannot find ${eager} in the SDK`);
    return text.replace(eager, () => lazy);
  }, contents);
}

/** Takes a bundle before it is minified, and needs `LAZILY` in front. */
export function lazySchemas(code) {
  const program = parse(code);
  const edits = [];
  const constants = new Set();
  const builders = [];
  let maps = 0;
  let derived = 0;
  visit(program, (node) => {
    if (isModule(node)) makeLazy(node.value.body.body.map(assignment), constants, edits);
    if (node.type === 'AssignmentExpression' && DERIVED.has(node.left.name)) {
      derived += 1;
      postpone(node.left.name, node.right, constants, edits);
    }
    if (node.type === 'AssignmentExpression' && MEMBERS.has(node.left.name)) memberwise(node.right, edits);
    if (node.type !== 'FunctionDeclaration') return;
    if (BUILDERS.test(node.id.name) && returnsMembers(node)) builders.push(node);
    if (node.id.name === MAPS) maps += sortLazily(node, edits);
  });
  const handlers = [];
  visit(program, (node) => handlers.push(...ownSchemas(node, constants)));
  if (
    handlers.length !== 3 ||
    constants.size < 100 ||
    builders.length !== 2 ||
    maps !== 3 ||
    derived !== DERIVED.size
  ) {
    throw new Error(
      `Cannot find the schemas of the SDK: ${constants.size} constants, ${builders.length} revisions, ${maps} maps, ${derived} sets, ${handlers.length} handlers`,
    );
  }
  callReferences(program, constants, edits);
  for (const property of handlers) readLater(property, edits);
  for (const builder of builders) {
    const own = new Set();
    makeLazy(builder.body.body.flatMap(declarations), own, edits);
    memberwise(returned(builder), edits);
    callReferences(builder, own, edits);
  }
  return HELPERS + apply(code, edits);
}

function isModule({ type, key, value }) {
  return type === 'Property' && key.type === 'Literal' && MODULES.test(key.value) && value.body !== undefined;
}

function assignment({ type, expression }) {
  const isOne = type === 'ExpressionStatement' && expression.type === 'AssignmentExpression';
  return isOne ? { name: expression.left.name, value: expression.right } : undefined;
}

function declarations({ type, declarations: declared }) {
  return type === 'VariableDeclaration'
    ? declared.map(({ id, init }) => ({ name: id.name, value: init }))
    : [];
}

function makeLazy(constants, names, edits) {
  for (const { name, value } of constants.filter((one) => one !== undefined)) {
    if (!SCHEMA.test(name)) continue;
    if (value.type === 'CallExpression') postpone(name, value, names, edits);
    if (value.type === 'Identifier' && names.has(value.name)) {
      // Another name for a schema is one for the function that makes it.
      names.add(name);
      value.isAlias = true;
    }
  }
}

function returned(builder) {
  return builder.body.body.at(-1).argument;
}

function returnsMembers(builder) {
  const last = builder.body.body.at(-1);
  return last?.type === 'ReturnStatement' && last.argument?.type === 'ObjectExpression';
}

function sortLazily(node, edits) {
  let found = 0;
  visit(node, ({ type, value }) => {
    if (type !== 'Property' || value.type !== 'ObjectExpression') return;
    found += 1;
    memberwise(value, edits);
  });
  return found;
}

/** Where a handler of a method that is not part of the protocol is given the schema of its parameters. */
function ownSchemas({ type, callee, arguments: given }, constants) {
  if (type !== 'CallExpression' || callee.property?.name !== HANDLES) return [];
  return (given[1]?.properties ?? []).filter(({ value }) => constants.has(value.name));
}

/** Turns `params: A` into `get params() { return A(); }`. After `callReferences()`, whose edit is the one further left. */
function readLater({ key, value, start }, edits) {
  edits.push(
    { at: start, until: value.start, text: `get ${key.name}() { return ` },
    { at: value.end, text: '; }' },
  );
}

/** An object whose members are made when they are first used. */
function memberwise(object, edits) {
  edits.push({ at: object.start, text: '__lazyMembers(' }, { at: object.end, text: ')' });
  for (const property of object.properties) {
    const { value, shorthand } = property;
    edits.push(
      shorthand ? { at: value.end, text: `: () => ${value.name}` } : { at: value.start, text: '() => ' },
    );
    property.shorthand = false;
  }
}

/** Takes a bundle before it is minified: there each constant of a module has a name that nothing else has. */
function parse(code) {
  const { program, errors } = parseSync('program.cjs', code, { sourceType: 'script' });
  if (errors.length > 0) throw new Error(`Cannot read the bundle: ${errors[0].message}`);
  return program;
}

/** References to it must be changed by `callReferences()`. */
function postpone(name, value, names, edits) {
  names.add(name);
  edits.push({ at: value.start, text: '__lazily(() => (' }, { at: value.end, text: '))' });
}

/** A constant has become a function that returns it. Throws where another variable has its name. */
function callReferences(scope, names, edits) {
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

function visit(node, see, parent, role) {
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
function apply(code, edits) {
  const parts = [];
  let done = 0;
  for (const { at, text, until = at } of edits.toSorted((left, right) => left.at - right.at)) {
    parts.push(code.slice(done, at), text);
    done = until;
  }
  return parts.join('') + code.slice(done);
}
