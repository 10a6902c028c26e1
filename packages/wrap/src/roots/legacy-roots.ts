import type { Root, RootsPort, Snapshot, Workspace, WorkspaceView } from '@rootward/core';
import { Callers, type PreparedWorkspace } from '@rootward/mcp/host';
import { placeOf, type CallRoots, type Declaration, type RootsListener } from './call-roots.js';

/** The roots of a client of the legacy era: asked whenever that is due, followed when it says that they changed. */
export class LegacyRoots implements CallRoots {
  readonly callers: Callers;
  readonly #workspace: Workspace;
  readonly #kind: 'local' | 'http';
  readonly #ignoresClient: boolean;
  #client: string | undefined;

  private constructor(
    workspace: Workspace,
    kind: 'local' | 'http',
    callers: Callers,
    ignoresClient: boolean,
    onChange: RootsListener,
  ) {
    this.#workspace = workspace;
    this.#kind = kind;
    this.callers = callers;
    this.#ignoresClient = ignoresClient;
    workspace.onDidChange(({ removed, snapshot }) => onChange(snapshot.roots, removed.length > 0));
  }

  static async open(
    prepared: PreparedWorkspace,
    kind: 'local' | 'http',
    port: RootsPort,
    onChange: RootsListener,
  ): Promise<LegacyRoots> {
    const { clientRoots } = await prepared.sources(kind);
    const callers = new Callers(prepared, () => true);
    const workspace = await prepared.open(kind, { port });
    return new LegacyRoots(workspace, kind, callers, clientRoots === 'ignore', onChange);
  }

  current(): readonly Root[] {
    return this.#workspace.snapshot().roots;
  }

  snapshot(): Snapshot {
    return this.#workspace.snapshot();
  }

  declare({ roots, listChanged, clientInfo }: Declaration): { readonly mustAsk: boolean } {
    this.#client = clientInfo?.name;
    this.#workspace.clientDeclared({ roots, listChanged, ...(clientInfo !== undefined && { clientInfo }) });
    return { mustAsk: roots && !this.#ignoresClient };
  }

  async begin(): Promise<readonly Root[]> {
    this.#workspace.clientReady();
    return (await this.#workspace.ready()).roots;
  }

  changed(): void {
    this.#workspace.rootsChanged();
  }

  /** Fails with `ambiguous-tree` where nobody can tell which working tree the caller works in. */
  forCall(meta: unknown): readonly Root[] | Promise<readonly Root[]> {
    const view = this.#workspace.forRequestNow(meta);
    if (view !== undefined) return this.#placed(view, meta);
    return this.#workspace.forRequest(meta).then((later) => this.#placed(later, meta));
  }

  #placed(view: WorkspaceView, meta: unknown): readonly Root[] | Promise<readonly Root[]> {
    return placeOf(view, this.callers, {
      meta,
      client: this.#client,
      transport: this.#kind,
      came: this.callers.arrive(),
      lookAgain: () => {
        this.#workspace.invalidate('the caller may work in another tree');
        return this.#workspace.forRequest(meta);
      },
    });
  }

  dispose(): void {
    this.#workspace.dispose();
  }
}
