import { DEFAULT_MAX_REQUEST_BODY_SIZE, type McpHandlerRequestOptions } from '@modelcontextprotocol/server';

/** A request, and what is known of its body. */
interface ReadRequest {
  readonly request: Request;
  readonly given: McpHandlerRequestOptions;
}

/**
 * Reads the body of a request. Else it would be read twice, from two copies of the request: to tell the era, and to serve
 * it. What is no JSON, or longer than allowed, is left to the SDK to refuse, with all that was read of it. Limit and
 * decoding are those of the SDK: what it accepts was read here, too, and its messages can be counted.
 */
export async function readOnce(
  request: Request,
  given: McpHandlerRequestOptions,
  maxBytes: number = DEFAULT_MAX_REQUEST_BODY_SIZE,
): Promise<ReadRequest> {
  const { method, body, headers } = request;
  const isTooLong = Number(headers.get('content-length') ?? 0) > maxBytes;
  if (method !== 'POST' || body === null || given.parsedBody !== undefined || isTooLong)
    return { request, given };
  const { chunks, rest } = await readUpTo(body, maxBytes);
  if (rest !== undefined) return { request: withBody(request, joined(chunks, rest)), given };
  const bytes = Buffer.concat(chunks);
  try {
    return { request, given: { ...given, parsedBody: JSON.parse(new TextDecoder().decode(bytes)) } };
  } catch {
    return { request: withBody(request, bytes), given };
  }
}

/** `rest` is what is left where there is more than that. */
async function readUpTo(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<{
  readonly chunks: readonly Uint8Array[];
  readonly rest: ReadableStreamDefaultReader<Uint8Array> | undefined;
}> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return { chunks, rest: undefined };
    chunks.push(value);
    bytes += value.byteLength;
    if (bytes > maxBytes) return { chunks, rest: reader };
  }
}

function joined(
  chunks: readonly Uint8Array[],
  rest: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  const waiting = chunks.values();
  return new ReadableStream({
    pull: async (controller) => {
      const next = waiting.next();
      const { done, value } = next.done === true ? await rest.read() : next;
      if (done === true || value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => rest.cancel(reason),
  });
}

function withBody(
  { url, method, headers, signal }: Request,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Request {
  return new Request(url, { method, headers, signal, body, duplex: 'half' });
}
