import { randomUUID } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Workspace } from '@rootward/core';
import type { SeenCaller } from '@rootward/mcp';
import type { ConnectionObserver } from '@rootward/mcp/host';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { GuideReader } from '../tools/guidance/register-guides.js';
import type { LiveSession, LiveSessions } from '../watch/live-process.js';
import { PROJECT_URI, ROOTS_URI, Subscriptions } from './resources.js';

/** What all sessions of a process have in common. */
interface SessionSetup {
  readonly sessions: LiveSessions;
  readonly telemetry: Telemetry | undefined;
}

/**
 * What one legacy client has here beside its workspace. There may be thousands over HTTP, so most of it is in methods: a
 * function for each session would take 100 bytes, and a map 200.
 */
export class LegacySession implements ConnectionObserver, GuideReader, LiveSession {
  readonly era = 'legacy';
  readonly since: number = Date.now();
  readonly server: McpServer;
  readonly #setup: SessionSetup;
  readonly #tellOthers: ((workspace: Workspace) => void) | undefined;
  #workspace: Workspace | undefined;
  #hasListedGuides = false;
  #followsProjects = false;
  #subscriptions: Subscriptions | undefined;
  #ended: (() => void) | undefined;
  #id: string | undefined;

  /** `tellOthers`: who else wants to know of the workspace. */
  constructor(server: McpServer, setup: SessionSetup, tellOthers?: (workspace: Workspace) => void) {
    this.server = server;
    this.#setup = setup;
    this.#tellOthers = tellOthers;
  }

  /** Made when it is first told to anyone. */
  get id(): string {
    return (this.#id ??= newId());
  }

  get workspace(): Workspace | undefined {
    return this.#workspace;
  }

  /** What a page shows, which knows of the session from its workspace on. */
  get view(): Workspace {
    if (this.#workspace === undefined) throw new Error('Cannot show the session: it has no workspace yet');
    return this.#workspace;
  }

  client(): string {
    const info = this.server.server.getClientVersion();
    return info === undefined ? '' : `${info.name} ${info.version}`;
  }

  get hasListedGuides(): boolean {
    return this.#hasListedGuides;
  }

  set hasListedGuides(hasListed: boolean) {
    this.#hasListedGuides = hasListed;
    this.#followProjects();
  }

  get subscriptions(): Subscriptions {
    this.#followProjects();
    return (this.#subscriptions ??= new Subscriptions((uri) => this.#tell(uri)));
  }

  onWorkspace(workspace: Workspace): void {
    const { sessions, telemetry } = this.#setup;
    this.#workspace = workspace;
    workspace.onDidChange(() => {
      this.#noteProject();
      this.#tell(ROOTS_URI);
      sessions.noteChange();
    });
    if (this.#followsProjects) workspace.onDidChooseProject(() => this.#noteProject());
    sessions.show(this);
    this.#ended = telemetry?.session();
    this.#tellOthers?.(workspace);
  }

  onCaller(caller: SeenCaller): void {
    this.#setup.sessions.noteCall(this, caller);
  }

  end(): void {
    if (this.#workspace !== undefined) this.#setup.sessions.remove(this);
    this.#ended?.();
    this.#subscriptions?.end();
  }

  /** From the first time on that the client may have to be told: most never are. */
  #followProjects(): void {
    if (this.#followsProjects) return;
    this.#followsProjects = true;
    this.#workspace?.onDidChooseProject(() => this.#noteProject());
  }

  #noteProject(): void {
    this.#tell(PROJECT_URI);
    // Who never asked for the list has none that could be out of date. The client may have gone meanwhile.
    if (this.hasListedGuides) this.server.server.sendResourceListChanged().catch(() => undefined);
  }

  #tell(uri: string): void {
    if (this.#subscriptions?.has(uri) !== true) return;
    // The client may have gone meanwhile.
    this.server.server.sendResourceUpdated({ uri }).catch(() => undefined);
  }
}

/** In one piece: what `randomUUID` returns is put together from 17 pieces that stay, half a kilobyte. */
function newId(): string {
  return Buffer.from(randomUUID()).toString('latin1');
}
