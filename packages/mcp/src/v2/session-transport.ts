import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { WebStandardStreamableHTTPServerTransportOptions } from '@modelcontextprotocol/server';

/** Streamable HTTP for one session, which says whether a question of ours can travel inside a request of the client. */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** With JSON responses there is no stream a question could be put on, and the SDK would lose it silently. */
  readonly carriesRequests: boolean;

  constructor(options: WebStandardStreamableHTTPServerTransportOptions) {
    super(options);
    this.carriesRequests = options.enableJsonResponse !== true;
  }
}
