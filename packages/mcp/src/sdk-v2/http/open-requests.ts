/** Requests of modern clients that are under way, streams included: what ends them when their principal is revoked. */
export class OpenRequests {
  readonly #open = new Map<AbortController, string>();

  async serve(
    principal: string,
    request: Request,
    act: (request: Request) => Promise<Response>,
  ): Promise<Response> {
    const controller = new AbortController();
    const end = (): void => void this.#open.delete(controller);
    this.#open.set(controller, principal);
    request.signal.addEventListener('abort', end, { once: true });
    try {
      const signal = AbortSignal.any([request.signal, controller.signal]);
      const response = await act(withSignal(request, signal));
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      if (!isStream || response.body === null) {
        end();
        return response;
      }
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      response.body.pipeTo(writable).then(end, end);
      return new Response(readable, response);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Ends the requests of the principals that this is true of. */
  endWhere(isOver: (principal: string) => boolean): void {
    for (const [controller, principal] of this.#open) {
      if (!isOver(principal)) continue;
      this.#open.delete(controller);
      controller.abort();
    }
  }
}

/** Somebody may have read its body already, and passes it on. */
function withSignal(request: Request, signal: AbortSignal): Request {
  const { url, method, headers, body, bodyUsed } = request;
  const rest = body === null || bodyUsed ? {} : ({ body, duplex: 'half' } as const);
  return new Request(url, { method, headers, signal, ...rest });
}
