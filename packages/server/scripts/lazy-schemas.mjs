// The SDK makes some 500 schemas when it is loaded and when the first message comes, and a server uses a few dozen: a
// third of the start, and 4 MB. Here each is made when it is first used.
import { parseSync } from 'oxc-parser';

/** Modules whose schemas are constants. */
const MODULES = /@modelcontextprotocol\/core\/dist\/(?:schemas|auth)-[^/]+\.mjs$/;
/** Functions that make all schemas of a revision of the protocol, and return them. */
const BUILDERS = /^build(?:\$\d+)?$/;
/** The function that sorts those of a revision by method. */
const MAPS = 'registryMaps';
/** An object of schemas. */
const MEMBERS = 'authSchemas';
const SCHEMA = /Schema(?:\$\d+)?$/;
const HELPERS = `
function __lazySchema(make) {
  let schema;
  return () => (schema ??= make());
}
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

/** Takes a bundle before it is minified: there each constant of a module has a name that nothing else has. */
export function lazySchemas(code) {
  const { program, errors } = parseSync('program.cjs', code, { sourceType: 'script' });
  if (errors.length > 0) throw new Error(`Cannot read the bundle: ${errors[0].message}`);
  const edits = [];
  const constants = new Set();
  const builders = [];
  let maps = 0;
  visit(program, (node) => {
    if (isModule(node)) makeLazy(node.value.body.body.map(assignment), constants, edits);
    if (node.type === 'AssignmentExpression' && node.left.name === MEMBERS) memberwise(node.right, edits);
    if (node.type !== 'FunctionDeclaration') return;
    if (BUILDERS.test(node.id.name) && returnsMembers(node)) builders.push(node);
    if (node.id.name === MAPS) maps += sortLazily(node, edits);
  });
  if (constants.size < 100 || builders.length !== 2 || maps !== 3) {
    throw new Error(
      `Cannot find the schemas of the SDK: ${constants.size} constants, ${builders.length} revisions, ${maps} maps`,
    );
  }
  callReferences(program, constants, edits);
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
    if (!SCHEMA.test(name) || value.type !== 'CallExpression') continue;
    names.add(name);
    edits.push({ at: value.start, text: '__lazySchema(() => ' }, { at: value.end, text: ')' });
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

/** A constant has become a function that returns it. Throws where another variable has its name. */
function callReferences(scope, names, edits) {
  const declared = new Set();
  visit(scope, (node, parent, role) => {
    if (node.type !== 'Identifier' || !names.has(node.name)) return;
    if (role === 'property' && parent.type === 'MemberExpression' && !parent.computed) return;
    if (role === 'id' && parent.type === 'VariableDeclarator') {
      if (declared.has(node.name)) throw new Error(`Cannot tell two variables apart: ${node.name}`);
      declared.add(node.name);
      return;
    }
    if (role === 'left' && parent.type === 'AssignmentExpression') return;
    if (parent.type === 'Property' && role === 'key' && !parent.computed) return;
    const isShort = parent.type === 'Property' && parent.shorthand;
    edits.push({ at: node.end, text: isShort ? `: ${node.name}()` : '()' });
  });
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

function apply(code, edits) {
  const parts = [];
  let done = 0;
  for (const { at, text } of edits.toSorted((left, right) => left.at - right.at)) {
    parts.push(code.slice(done, at), text);
    done = at;
  }
  return parts.join('') + code.slice(done);
}
