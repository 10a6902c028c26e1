/** What a client says of itself is kept with its session, and read again with each of its requests. */
const MAX_OPENING_BYTES = 64 * 1024;

/** A request that may open a session, after no more of it was read than allowed; undefined where it is longer. */
export async function readOpening(request: Request, parsedBody: unknown): Promise<Request | undefined> {
  if (parsedBody !== undefined) {
    return Buffer.byteLength(JSON.stringify(parsedBody)) > MAX_OPENING_BYTES ? undefined : request;
  }
  if (request.body === null) return request;
  const body = await readText(request.body);
  const { url, method, headers, signal } = request;
  return body === undefined ? undefined : new Request(url, { method, headers, signal, body });
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
