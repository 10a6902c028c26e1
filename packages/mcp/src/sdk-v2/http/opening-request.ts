import { openingTooDeep, openingTooLarge } from './responses.js';

/** What a client says of itself is kept with its session, and read again with each of its requests. */
const MAX_OPENING_BYTES = 64 * 1024;

/** A request that may open a session, after no more of it was read than allowed; or why it may not. */
export async function readOpening(request: Request, parsedBody: unknown): Promise<Request | Response> {
  if (parsedBody !== undefined) {
    const text = written(parsedBody);
    if (text === undefined) return openingTooDeep();
    return Buffer.byteLength(text) > MAX_OPENING_BYTES ? openingTooLarge() : request;
  }
  if (request.body === null) return request;
  const body = await readText(request.body);
  const { url, method, headers, signal } = request;
  return body === undefined ? openingTooLarge() : new Request(url, { method, headers, signal, body });
}

/** Undefined for what can be read but not written: reading takes any depth, writing some thousand levels. */
function written(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
}

async function readText(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_OPENING_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
