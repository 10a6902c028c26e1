// The SDK asks of every message in turn whether it fits one schema after another, on each of the message's stations, and
// then whether a call and its result fit theirs. That takes a fifth of a small call, and the first one waits until the
// schemas are made. Most messages are plain: nothing in them needs a schema, and a look at their members says what they are.
// All others are asked as before.

/** By kind: the member without which a message is none, and those that a plain one may have. */
const KINDS = {
  Request: { required: 'id', members: ['jsonrpc', 'id', 'method', 'params'] },
  Notification: { required: 'method', members: ['jsonrpc', 'method', 'params'] },
  ResultResponse: { required: 'result', members: ['jsonrpc', 'id', 'result'] },
  ErrorResponse: { required: 'error', members: [] },
};
/** Members of `_meta` that some schema looks into, apart from the token. */
const LOOKED_INTO = ['io.modelcontextprotocol/related-task', 'io.modelcontextprotocol/serverInfo'];

const CHECKS = `
const __fitting = new WeakMap();
function __fits(value, schema) {
  if (__fitting.get(value) === schema) return true;
  if (!schema.safeParse(value).success) return false;
  __fitting.set(value, schema);
  return true;
}
function __isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
/** What comes out of a schema for records as it went in, as long as it is all that JSON shows of it. */
function __isRecord(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    value.constructor === Object &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !Object.hasOwn(value, '__proto__')
  );
}
function __hasOnly(value, first, second, third, fourth, fifth) {
  for (const name in value)
    if (name !== first && name !== second && name !== third && name !== fourth && name !== fifth) return false;
  return true;
}
function __isName(value) {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
function __isPlainMeta(meta) {
  if (meta === undefined) return true;
  if (!__isRecord(meta) || (meta.progressToken !== undefined && !__isName(meta.progressToken))) return false;
  return ${LOOKED_INTO.map((name) => `meta[${JSON.stringify(name)}] === undefined`).join(' && ')};
}
function __isPlainBody(body) {
  return body === undefined || (__isObject(body) && __isPlainMeta(body._meta));
}
function __isPlainText(content) {
  return (
    __isRecord(content) &&
    content.type === 'text' &&
    typeof content.text === 'string' &&
    __hasOnly(content, 'type', 'text')
  );
}
function __isPlainContent(content) {
  if (!Array.isArray(content)) return false;
  // Not every(), which leaves out what is missing in between.
  for (let index = 0; index < content.length; index++) if (!__isPlainText(content[index])) return false;
  return true;
}
/** The outcome of a schema for this call of a tool, or undefined. */
function __plainCall(raw) {
  const { method, params } = raw ?? {};
  if (method !== 'tools/call' || !__isRecord(params) || typeof params.name !== 'string' || !__isPlainMeta(params._meta)) return undefined;
  if (params.arguments !== undefined && !__isRecord(params.arguments)) return undefined;
  return __hasOnly(params, 'name', 'arguments', '_meta') ? { ok: true, value: { method, params } } : undefined;
}
function __isTextOrMissing(value) {
  return value === undefined || typeof value === 'string';
}
function __isPlainClient(info) {
  return (
    __isRecord(info) &&
    typeof info.name === 'string' &&
    typeof info.version === 'string' &&
    __isTextOrMissing(info.title) &&
    __isTextOrMissing(info.websiteUrl) &&
    __isTextOrMissing(info.description) &&
    __hasOnly(info, 'name', 'version', 'title', 'websiteUrl', 'description')
  );
}
function __isEmptyOrMissing(value) {
  return value === undefined || (__isRecord(value) && __hasOnly(value));
}
function __arePlainRoots(roots) {
  if (roots === undefined) return true;
  if (!__isRecord(roots) || (roots.listChanged !== undefined && typeof roots.listChanged !== 'boolean')) return false;
  return __hasOnly(roots, 'listChanged');
}
function __arePlainCapabilities(capabilities) {
  return (
    __isRecord(capabilities) &&
    __arePlainRoots(capabilities.roots) &&
    __isEmptyOrMissing(capabilities.sampling) &&
    __isEmptyOrMissing(capabilities.elicitation) &&
    __hasOnly(capabilities, 'roots', 'sampling', 'elicitation')
  );
}
/** The same for the introduction of a client. Its schema is a twentieth of the start, and is used once. */
function __plainIntroduction(raw) {
  const { method, params } = raw ?? {};
  if (method !== 'initialize' || !__isRecord(params) || typeof params.protocolVersion !== 'string') return undefined;
  const { capabilities, clientInfo, _meta } = params;
  if (!__isPlainMeta(_meta) || !__isPlainClient(clientInfo) || !__arePlainCapabilities(capabilities)) return undefined;
  if (!__hasOnly(params, 'protocolVersion', 'capabilities', 'clientInfo', '_meta')) return undefined;
  // To the schema, a client that names no way of asking knows forms.
  const read = capabilities.elicitation === undefined ? capabilities : { ...capabilities, elicitation: { form: {} } };
  return { ok: true, value: { method, params: { ...params, capabilities: read } } };
}
/**
 * The same for what a legacy client says without saying more. The first call waits for the answer to the first of them,
 * whose schema would be the first one that is made: 1.5 of 5 ms.
 */
function __plainNotification(raw) {
  if (!__isObject(raw) || raw.params !== undefined) return undefined;
  const { method } = raw;
  const isKnown = method === 'notifications/initialized' || method === 'notifications/roots/list_changed';
  return isKnown ? { ok: true, value: { method } } : undefined;
}
/** The same for the result of a call. */
function __plainResult(result) {
  if (!__isRecord(result) || !__isPlainContent(result.content)) return undefined;
  if (result.structuredContent !== undefined && !__isRecord(result.structuredContent)) return undefined;
  if (result.isError !== undefined && typeof result.isError !== 'boolean') return undefined;
  if (!__hasOnly(result, 'content', 'structuredContent', 'isError')) return undefined;
  return { ok: true, value: result };
}
`;

const CALL = "method === 'tools/call' ? __plainCall(raw) : undefined";
const RESULT = "method === 'tools/call' ? __plainResult(raw) : undefined";
/** What asks the schemas of a revision. The later one has no introduction, nor what is said after it. */
const CODECS = {
  'validateRequest: (method, raw) => triState$1(': CALL.replace(
    'undefined',
    "method === 'initialize' ? __plainIntroduction(raw) : undefined",
  ),
  'validateRequest: (method, raw) => triState(': CALL,
  'validateNotification: (method, raw) => triState$1(':
    'method === raw?.method ? __plainNotification(raw) : undefined',
  'validateResult: (method, raw) => triState$1(': RESULT,
  'validateResult: (method, raw) => triState(': RESULT,
};

/** Takes the module of the SDK that has the schemas. */
export function checkQuickly(contents) {
  let text = contents;
  const replace = (before, after) => {
    if (text.split(before).length !== 2) throw new Error(`Cannot find ${before} in the SDK`);
    text = text.replace(before, () => after);
  };
  for (const [kind, { required, members }] of Object.entries(KINDS)) {
    const name = `const isJSONRPC${kind} = (value) => `;
    const isPlain = members.length > 0 ? `(${plainCheck(members)}) || ` : '';
    replace(
      `${name}JSONRPC${kind}Schema.safeParse(value).success;`,
      `${name}value?.${required} !== undefined && (${isPlain}__fits(value, JSONRPC${kind}Schema));`,
    );
  }
  for (const [asks, plain] of Object.entries(CODECS)) {
    const [head, tail] = asks.split('=> ');
    replace(asks, `${head}=> (${plain}) ?? ${tail}`);
  }
  return CHECKS + text;
}

/** True only for what the schema accepts that has these members. */
function plainCheck(members) {
  const tests = members.map((name) => {
    if (name === 'jsonrpc') return "value.jsonrpc === '2.0'";
    if (name === 'id') return '__isName(value.id)';
    if (name === 'method') return "typeof value.method === 'string'";
    return `__isPlainBody(value.${name})`;
  });
  return `${tests.join(' && ')} && __hasOnly(value, ${members.map((name) => `'${name}'`).join(', ')})`;
}
