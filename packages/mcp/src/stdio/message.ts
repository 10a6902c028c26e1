import { isObject } from '@rootward/core/platform';

/** JSON-RPC as MCP uses it. Both SDKs' message types are assignable to these. */
export type RequestId = string | number;

export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: { readonly [key: string]: unknown } | undefined;
}

interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: { readonly [key: string]: unknown } | undefined;
}

interface JsonRpcResult {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: { readonly [key: string]: unknown };
}

export interface JsonRpcFailure {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type JsonRpcAnswer = JsonRpcResult | JsonRpcFailure;
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcAnswer;

export const INVALID_REQUEST = -32_600;
export const INTERNAL_ERROR = -32_603;

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** `data` of the error that stands in for an answer the client got wrong, so that a caller can tell it from a refusal. */
export const MALFORMED_ANSWER = 'rootward/malformed-answer';

/** One JSON value of the wire, sorted. An answer keeps its id as received; whether we asked is not known here. */
export type Incoming =
  | { readonly kind: 'request'; readonly message: JsonRpcRequest }
  | { readonly kind: 'notification'; readonly message: JsonRpcNotification }
  | { readonly kind: 'answer'; readonly id: RequestId; readonly message: JsonRpcAnswer }
  | { readonly kind: 'invalid'; readonly id: RequestId | undefined; readonly problem: string };

/**
 * Sorts one JSON value. Messages are rebuilt from the members the protocol knows, because the SDKs drop a
 * message with any other member without answering it, as they do with metadata they cannot read. Does NOT look at
 * anything but `_meta` inside `params` and `result`.
 */
export function readMessage(value: unknown): Incoming {
  if (!isObject(value)) return { kind: 'invalid', id: undefined, problem: 'it is not a JSON object' };
  const id = isRequestId(value['id']) ? value['id'] : undefined;
  if (value['method'] === undefined && id !== undefined) return readAnswer(id, value);
  if (value['jsonrpc'] !== '2.0') return { kind: 'invalid', id, problem: 'jsonrpc is not "2.0"' };
  const { method, params } = value;
  if (typeof method !== 'string') return { kind: 'invalid', id, problem: 'method is not a string' };
  if (id === undefined) {
    if ('id' in value) return { kind: 'invalid', id, problem: 'id is neither a string nor an integer' };
    return { kind: 'notification', message: { jsonrpc: '2.0', method, ...readableParams(params) } };
  }
  if (params !== undefined && !isObject(params)) {
    return { kind: 'invalid', id, problem: 'params is not an object' };
  }
  const problem = metadataProblem(params?.['_meta']);
  if (problem !== undefined) return { kind: 'invalid', id, problem };
  const message: JsonRpcRequest =
    params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
  return { kind: 'request', message };
}

/** Unreadable parameters of a notification are dropped: its sender would not learn that it was refused. */
function readableParams(params: unknown): { readonly params?: { readonly [key: string]: unknown } } {
  return isObject(params) ? { params: withReadableMetadata(params) } : {};
}

function readAnswer(id: RequestId, value: { readonly [key: string]: unknown }): Incoming {
  const { jsonrpc, result, error } = value;
  if (jsonrpc !== '2.0') return malformed(id, 'jsonrpc is not "2.0"');
  if (result !== undefined && error !== undefined) {
    return malformed(id, 'it has a result and an error');
  }
  if (isObject(result)) {
    return { kind: 'answer', id, message: { jsonrpc: '2.0', id, result: withReadableMetadata(result) } };
  }
  if (error === undefined) return malformed(id, 'its result is not an object');
  if (!isObject(error)) return malformed(id, 'its error is not an object');
  const { code, message, data } = error;
  if (!Number.isSafeInteger(code) || typeof code !== 'number' || typeof message !== 'string') {
    return malformed(id, 'its error lacks an integer code or a string message');
  }
  const body = data === undefined ? { code, message } : { code, message, data };
  return { kind: 'answer', id, message: { jsonrpc: '2.0', id, error: body } };
}

function metadataProblem(meta: unknown): string | undefined {
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return '_meta is not an object';
  const { progressToken, [RELATED_TASK]: task } = meta;
  if (progressToken !== undefined && !isRequestId(progressToken)) {
    return 'progressToken is neither a string nor an integer';
  }
  if (task !== undefined && !(isObject(task) && typeof task['taskId'] === 'string')) {
    return 'the related task has no id';
  }
  return undefined;
}

/** Drops unreadable metadata of messages that get no answer: some clients write `null` for what they do not have. */
function withReadableMetadata(body: { readonly [key: string]: unknown }): {
  readonly [key: string]: unknown;
} {
  if (metadataProblem(body['_meta']) === undefined) return body;
  const { _meta, ...rest } = body;
  return rest;
}

function malformed(id: RequestId, problem: string): Incoming {
  return { kind: 'answer', id, message: malformedAnswer(id, problem) };
}

export function malformedAnswer(id: RequestId, problem: string): JsonRpcFailure {
  return failure(id, INTERNAL_ERROR, `Cannot read the answer: ${problem}`, MALFORMED_ANSWER);
}

export function failure(id: RequestId, code: number, message: string, data?: unknown): JsonRpcFailure {
  return {
    jsonrpc: '2.0',
    id,
    error: data === undefined ? { code, message } : { code, message, data },
  };
}

export function isAnswer(message: JsonRpcMessage): message is JsonRpcAnswer {
  return 'result' in message || 'error' in message;
}

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return 'method' in message && 'id' in message;
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
