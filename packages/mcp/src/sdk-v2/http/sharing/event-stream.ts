import type { StreamEvent } from './stream-reader.js';

const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = ': keepalive\n\n';
/** Clients of earlier revisions read an event without data as a message. */
const FIRST_WITH_EMPTY_EVENTS = '2025-11-25';
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
} as const;

interface StreamOptions {
  readonly session: string;
  readonly keepAliveMs: number | undefined;
  /** Ends it, also where the client does not read. */
  readonly signal: AbortSignal;
  /** Called once, however it ends. */
  readonly onEnd: () => void;
  readonly onerror: (error: unknown) => void;
}

/** Whether a client asks to listen, in a way that the transport would not refuse. */
export function isForStream({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept')?.includes('text/event-stream') ?? false);
}

/**
 * A response that carries events until they end or the client goes away. They are taken as fast as the client reads: a
 * log may be larger than the memory of this process.
 */
export function eventStreamResponse(
  request: Request,
  events: AsyncGenerator<StreamEvent>,
  { session, keepAliveMs = KEEP_ALIVE_MS, signal, onEnd, onerror }: StreamOptions,
): Response {
  const encoder = new TextEncoder();
  const takesEmpty = (request.headers.get('mcp-protocol-version') ?? '') >= FIRST_WITH_EMPTY_EVENTS;
  let keepAlive: ReturnType<typeof setInterval> | undefined;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(keepAlive);
    onEnd();
  };
  /** The next event that this client understands. */
  const next = async (): Promise<string | undefined> => {
    try {
      for (let step = await events.next(); step.done !== true; step = await events.next()) {
        const { id, message } = step.value;
        if (message !== undefined) return `event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`;
        if (takesEmpty) return `id: ${id}\ndata: \n\n`;
      }
    } catch (error) {
      onerror(error);
    }
    return undefined;
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const close = (): void => {
        if (!isOver) controller.close();
        end();
      };
      if (signal.aborted) close();
      else signal.addEventListener('abort', close, { once: true });
      if (isOver || keepAliveMs <= 0) return;
      keepAlive = setInterval(() => {
        // A client that has not read the last event needs no sign of life.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(KEEP_ALIVE));
      }, keepAliveMs).unref();
    },
    async pull(controller) {
      const text = await next();
      if (isOver) return;
      if (text !== undefined) {
        controller.enqueue(encoder.encode(text));
        return;
      }
      controller.close();
      end();
    },
    cancel: end,
  });
  if (request.signal.aborted) end();
  else request.signal.addEventListener('abort', end, { once: true });
  return new Response(body, { headers: { ...HEADERS, 'mcp-session-id': session } });
}
