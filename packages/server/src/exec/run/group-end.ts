import { errnoOf, listProcesses, readProcessStat, within } from '@rootward/core/platform';

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
    await within(this.#exited, { milliseconds: GRACE_MS });
    for (let pause = FIRST_LOOK_MS; performance.now() < deadline; pause = Math.min(2 * pause, LAST_LOOK_MS)) {
      if (!isGroupAlive(this.#leader)) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    signalGroup(this.#leader, 'SIGKILL');
  }
}

type GroupSignal = 'SIGTERM' | 'SIGKILL' | 0;

/**
 * Signals everything in the group a tool leads, also when the tool itself is gone; false when there is nobody left.
 * Does NOT reach a process that made a group of its own.
 */
function signalGroup(leader: number, signal: GroupSignal): boolean {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, signal);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/** Whether anybody in the group still runs. One that has ended counts no longer, even where nobody collects it. */
function isGroupAlive(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false;
  return process.platform === 'linux' ? hasLivingMember(leader) : true;
}

/** In a container without an init process, orphans that ended stay in the table for ever. */
function hasLivingMember(group: number): boolean {
  return listProcesses().some((pid) => {
    const stat = readProcessStat(pid);
    return stat?.group === group && stat.state !== 'Z' && stat.state !== 'X';
  });
}
