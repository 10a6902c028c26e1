import type { Callers } from '../context/callers.js';
import type { WorkspaceContext } from '../context/workspace-context.js';

/** The part of an SDK's `Server` that is used here. */
export interface HookedServer {
  readonly transport?: object | undefined;
  oninitialized?: (() => void) | undefined;
  registerCapabilities(capabilities: { experimental: Record<string, Record<string, never>> }): void;
  getClientCapabilities(): { readonly roots?: unknown } | undefined;
  getClientVersion(): { readonly name: string; readonly version: string } | undefined;
  /** Throws where there is a handler already. */
  assertCanSetRequestHandler(method: string): void;
}

/** An `McpServer`, or the `Server` that speaks the protocol for it. */
export type AnyServer = { readonly server: HookedServer } | HookedServer;

/** Whether it is a `Server` whose author sets the handlers of requests. */
export function isLowLevel(server: object): server is HookedServer {
  return !('server' in server);
}

export function protocolOf(server: AnyServer): HookedServer {
  return isLowLevel(server) ? server : server.server;
}

/** How long an SDK waits for an answer. */
export interface AskOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/** One call as the wrapper of its handler sees it. */
export interface Call {
  readonly workspace: WorkspaceContext;
  /** What is sent for a result: the result itself, or a question that has to be answered first. */
  answer(result: unknown): unknown;
  /** The question that an error stands for; undefined for a real error. */
  question(error: unknown): unknown;
  dispose(): void;
}

/** What the two SDKs do differently. `Context` is what they pass to a handler as its last argument. */
export interface SdkPort<Context> {
  /** The method that the first argument of `setRequestHandler` or `setNotificationHandler` stands for. */
  methodOf(key: unknown): string;
  /** The first argument of `setNotificationHandler` for one of the notifications that are listened to. */
  notificationKey(method: HookedNotification): unknown;
  /** What a call brings along. */
  request(ctx: Context): CallFacts;
  /** Where a call comes from; without a session where it belongs to the connection. */
  origin(ctx: Context): { readonly session: string | undefined; readonly isHttp: boolean };
  /** Sends `roots/list` over the connection. Takes any result as it is. */
  ask(options: AskOptions): Promise<unknown>;
  /** Sends `roots/list` inside a request of the client. */
  askWithin(ctx: Context, options: AskOptions): Promise<unknown>;
  /** How a call is served: with the workspace of its connection (legacy era), or with one of its own (modern era). */
  call(ctx: Context, options: CallOptions): Call;
  /** An error that reaches the client with its code and data. */
  protocolError(code: number, message: string, data: unknown): Error;
}

/** What every call brings along. */
export interface CallFacts {
  readonly meta: unknown;
  readonly signal: AbortSignal;
  /** Whom the call comes from; empty without authentication. */
  readonly principal: string;
  /** The name of the client, where the call itself says it. */
  readonly client: string | undefined;
}

export type HookedNotification = 'notifications/initialized' | 'notifications/roots/list_changed';

interface CallOptions {
  /** The arguments of a tool call. */
  readonly args: unknown;
  /** Whether the result of a modern request can ask back. */
  readonly mayAsk: boolean;
  /** The workspace of the connection, for the legacy era. */
  readonly legacy: () => WorkspaceContext;
  readonly callers: Callers;
}
