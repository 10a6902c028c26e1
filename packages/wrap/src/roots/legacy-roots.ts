import type { Root, RootsPort, Snapshot, Workspace } from '@rootward/core';
import type { PreparedWorkspace } from '@rootward/mcp/host';
import type { CallRoots, Declaration, RootsListener } from './call-roots.js';

/** The roots of a client of the legacy era: asked whenever that is due, followed when it says that they changed. */
export class LegacyRoots implements CallRoots {
  readonly #workspace: Workspace;
  readonly #ignoresClient: boolean;

  private constructor(workspace: Workspace, ignoresClient: boolean, onChange: RootsListener) {
    this.#workspace = workspace;
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
    return new LegacyRoots(await prepared.open(kind, { port }), clientRoots === 'ignore', onChange);
  }

  current(): readonly Root[] {
    return this.#workspace.snapshot().roots;
  }

  snapshot(): Snapshot {
    return this.#workspace.snapshot();
  }

  declare({ roots, listChanged, clientInfo }: Declaration): { readonly mustAsk: boolean } {
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

  async forCall(meta: unknown): Promise<readonly Root[]> {
    return (await this.#workspace.forRequest(meta)).snapshot().roots;
  }

  dispose(): void {
    this.#workspace.dispose();
  }
}
