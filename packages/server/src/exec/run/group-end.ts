import { isGroupAlive, signalGroup } from './process-group.js';

/** From the polite request to the end that cannot be refused. */
const GRACE_MS = 1000;
/** Nothing announces the end of processes that are not our own children; the first looks come quickly. */
const FIRST_LOOK_MS = 2;
const LAST_LOOK_MS = 100;

/** Ends a process group: SIGTERM, a second, SIGKILL. */
export class GroupEnd {
  readonly #leader: number;
  readonly #exited: Promise<unknown>;
  #ending: Promise<void> | undefined;

  /** `exited`: the leader, our own child, is gone. */
  constructor(leader: number, exited: Promise<unknown>) {
    this.#leader = leader;
    this.#exited = exited;
  }

  /** Resolves when nobody of the group is left, or has been killed. Asked again, it goes on as before. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (!signalGroup(this.#leader, 'SIGTERM')) return;
    const deadline = performance.now() + GRACE_MS;
    await within(this.#exited, GRACE_MS);
    for (let pause = FIRST_LOOK_MS; performance.now() < deadline; pause = Math.min(2 * pause, LAST_LOOK_MS)) {
      if (!isGroupAlive(this.#leader)) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    signalGroup(this.#leader, 'SIGKILL');
  }
}

/** Resolves with the event, or when the time is up; true for the event. */
export async function within(event: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const came = await Promise.race([event.then(() => true), limit]);
  clearTimeout(timer);
  return came;
}
