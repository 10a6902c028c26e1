import type { StreamEvent } from './event-log.js';

const KEEP_ALIVE_MS = 15_000;
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
  /** Called once, however it ends. */
  readonly onEnd: () => void;
  readonly onerror: (error: unknown) => void;
}

/** Whether a client asks to listen, in a way that the transport would not refuse. */
export function isForStream({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept')?.includes('text/event-stream') ?? false);
}

/** A response that carries events until they end or the client goes away. */
export function eventStreamResponse(
  request: Request,
  events: AsyncGenerator<StreamEvent>,
  { session, keepAliveMs = KEEP_ALIVE_MS, onEnd, onerror }: StreamOptions,
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
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => {
        if (!isOver) controller.enqueue(encoder.encode(text));
      };
      if (keepAliveMs > 0) keepAlive = setInterval(() => write(': keepalive\n\n'), keepAliveMs).unref();
      const pump = async (): Promise<void> => {
        try {
          for await (const { id, message } of events) {
            if (message !== undefined) {
              write(`event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`);
            } else if (takesEmpty) write(`id: ${id}\ndata: \n\n`);
          }
        } catch (error) {
          onerror(error);
        }
        if (!isOver) controller.close();
        end();
      };
      void pump();
    },
    cancel: end,
  });
  if (request.signal.aborted) end();
  else request.signal.addEventListener('abort', end, { once: true });
  return new Response(body, { headers: { ...HEADERS, 'mcp-session-id': session } });
}
