import type { KeptWorkspace, RootsPort, Workspace, WorkspaceView } from '@rootward/core';
import { isObject, nextTurn } from '@rootward/core/platform';
import { MALFORMED_ANSWER } from '../stdio/message.js';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import type { TransportKind } from '../context/transport-kind.js';
import type { ConnectionObserver } from '../context/workspace-options.js';

/** What a connection of the legacy era tells, whichever SDK it belongs to. */
export interface ClientLink {
  readonly transport: TransportKind;
  /** What it says of its client is undefined before `initialize`, and always where it serves a single request. */
  readonly server: {
    getClientCapabilities(): { readonly roots?: unknown } | undefined;
    getClientVersion(): { readonly name: string; readonly version: string } | undefined;
  };
  /** The way to the client that lasts as long as the connection. Over Streamable HTTP there is none. */
  readonly port: RootsPort | undefined;
}

/** What one call brings along. */
export interface LegacyCall {
  readonly meta: unknown;
  readonly signal: AbortSignal;
  /** The way to the client that is open while this call lasts, where that is the only one. */
  readonly port: RootsPort | undefined;
}

/** The workspace of one connection of the legacy era: told what the client does, asked what a call sees. */
export class LegacyConnection {
  readonly #prepared: PreparedWorkspace;
  readonly #link: ClientLink;
  readonly #observer: ConnectionObserver;
  #opening: Promise<Workspace> | undefined;
  #workspace: Workspace | undefined;
  #declared = false;
  #disposed = false;

  constructor(prepared: PreparedWorkspace, link: ClientLink, observer: ConnectionObserver) {
    this.#prepared = prepared;
    this.#link = link;
    this.#observer = observer;
  }

  /** `notifications/initialized` came. */
  initialized(): void {
    this.#tell((workspace) => {
      this.#declare(workspace);
      workspace.clientReady();
    });
  }

  /** `notifications/roots/list_changed` came. */
  rootsChanged(): void {
    this.#tell((workspace) => {
      this.#declare(workspace);
      workspace.rootsChanged();
    });
  }

  /** What the call sees where nothing has to be waited for. */
  viewNow({ meta, signal }: LegacyCall): WorkspaceView | undefined {
    const workspace = this.#workspace;
    if (workspace === undefined) return undefined;
    this.#declare(workspace);
    return workspace.forRequestNow(meta, signal);
  }

  async view({ meta, signal, port }: LegacyCall): Promise<WorkspaceView> {
    const workspace = this.#workspace ?? (await this.#open());
    this.#declare(workspace);
    return workspace.forRequest(meta, port === undefined ? { signal } : { signal, port });
  }

  /** The same after the client was asked once more: it may have moved without saying so. */
  async viewAfresh(call: LegacyCall): Promise<WorkspaceView> {
    (await this.live()).invalidate('the caller may work in another tree');
    return this.view(call);
  }

  async live(): Promise<Workspace> {
    const workspace = this.#workspace ?? (await this.#open());
    this.#declare(workspace);
    return workspace;
  }

  /** When what the client said so far has reached the workspace. */
  async settled(): Promise<void> {
    await nextTurn();
    await this.#opening?.catch(() => undefined);
  }

  /** What another process needs to go on with the workspace; undefined where none was opened yet. */
  keep(): KeptWorkspace | undefined {
    return this.#workspace?.keep();
  }

  /** Counts a refusal for the statistics of the connection. */
  countRefusal(error: unknown): void {
    this.#workspace?.countRefusal(error);
  }

  dispose(): void {
    this.#disposed = true;
    this.#workspace?.dispose();
  }

  /** In the order things happened, also while the sources are still being read. */
  #tell(what: (workspace: Workspace) => void): void {
    if (this.#workspace !== undefined) {
      what(this.#workspace);
      return;
    }
    this.#open().then(what, (error: unknown) => {
      this.#prepared.log?.debug('workspace not opened', { error: String(error) });
    });
  }

  #open(): Promise<Workspace> {
    this.#opening ??= this.#create();
    return this.#opening;
  }

  async #create(): Promise<Workspace> {
    const { transport, port } = this.#link;
    const workspace = await this.#prepared.open(transport, port === undefined ? {} : { port });
    this.#workspace = workspace;
    if (this.#disposed) workspace.dispose();
    else this.#observer.onWorkspace?.(workspace);
    return workspace;
  }

  #declare(workspace: Workspace): void {
    if (this.#declared) return;
    const capabilities = this.#link.server.getClientCapabilities();
    if (capabilities === undefined && this.#link.port !== undefined) return;
    this.#declared = true;
    const roots = capabilities?.roots;
    const listChanged = isObject(roots) && roots['listChanged'] === true;
    const clientInfo = this.#link.server.getClientVersion();
    workspace.clientDeclared({
      roots: roots !== undefined,
      listChanged,
      ...(clientInfo !== undefined && { clientInfo }),
    });
  }
}

/** Asks through an SDK; an answer our transport could not read counts as malformed, not as a refusal. */
export async function askLeniently(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && 'data' in error && error.data === MALFORMED_ANSWER) return null;
    throw error;
  }
}
