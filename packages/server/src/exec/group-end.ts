import { signalGroup } from './process-group.js';

/** From the polite request to the end that cannot be refused. */
const GRACE_MS = 1000;
/** Nothing announces the end of processes that are not our own children. */
const LOOK_EVERY_MS = 10;

/** Ends a process group: SIGTERM, a second, SIGKILL. */
export class GroupEnd {
  readonly #leader: number;
  #ending: Promise<void> | undefined;

  constructor(leader: number) {
    this.#leader = leader;
  }

  /** Resolves when nobody of the group is left, or has been killed. Asked again, it goes on as before. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (!signalGroup(this.#leader, 'SIGTERM')) return;
    const deadline = performance.now() + GRACE_MS;
    while (performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      if (!signalGroup(this.#leader, 0)) return;
    }
    signalGroup(this.#leader, 'SIGKILL');
  }
}
