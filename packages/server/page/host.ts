/** The host around the panel: what it sent, and what can be asked of it. Speaks JSON-RPC over `postMessage`. */
export class Host {
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #onResult: (result: ToolResult) => void;
  #lastId = 0;
  #canCall = false;

  constructor(onResult: (result: ToolResult) => void) {
    this.#onResult = onResult;
    window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
      if (source === window.parent && typeof data === 'object' && data !== null) this.#receive(data);
    });
  }

  /** Whether tools can be called through it. */
  get canCall(): boolean {
    return this.#canCall;
  }

  /** Shakes hands, and tells the host how much room the panel takes from then on. */
  async open(): Promise<void> {
    const { result } = await this.#request('ui/initialize', {
      protocolVersion: '2026-01-26',
      appInfo: { name: 'rootward', version: '1.0.0' },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    });
    const { hostCapabilities, hostContext } = (result ?? {}) as HostFacts;
    this.#canCall = hostCapabilities?.serverTools !== undefined;
    this.#dress(hostContext);
    this.#send({ method: 'ui/notifications/initialized', params: {} });
    new ResizeObserver(() => this.#tellSize()).observe(document.documentElement);
  }

  /** The result of a tool of this server. Rejects with what the host says where it refuses. */
  async call(name: string, args: object): Promise<ToolResult> {
    const { result, error } = await this.#request('tools/call', { name, arguments: args });
    if (error !== undefined) throw new Error(error.message);
    return result as ToolResult;
  }

  #receive(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined) {
      if (id !== undefined) this.#waiting.get(id)?.(message);
      return;
    }
    if (method === 'ui/notifications/tool-result') this.#onResult(params as ToolResult);
    else if (method === 'ui/notifications/host-context-changed')
      this.#dress(params as HostFacts['hostContext']);
    else if (id !== undefined) this.#send({ id, result: {} });
  }

  #dress(context: HostFacts['hostContext']): void {
    const { theme } = context ?? {};
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  }

  #tellSize(): void {
    const { scrollWidth: width, offsetHeight: height } = document.documentElement;
    this.#send({ method: 'ui/notifications/size-changed', params: { width, height } });
  }

  #request(method: string, params: object): Promise<Message> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, (message) => {
        this.#waiting.delete(id);
        resolve(message);
      });
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    // The origin of the host is not known to a panel in a sandbox, and nothing sent is secret from it.
    window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }
}

export interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: unknown;
}

interface HostFacts {
  readonly hostCapabilities?: { readonly serverTools?: object };
  readonly hostContext?: { readonly theme?: string } | undefined;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}
