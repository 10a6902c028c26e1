import { errnoOf, listProcesses, readProcessStat, within } from '@rootward/core/platform';

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 1000;
/** Nothing announces the end of processes that are not our own children; the first looks come quickly. */
const FIRST_LOOK_MS = 2;
const LAST_LOOK_MS = 100;

/** Ends a process group: SIGTERM, a second, SIGKILL. */
export class GroupEnd {
  readonly #leader: number;
  readonly #exited: Promise<unknown>;
  #ending: Promise<void> | undefined;

  readonly #supervised: boolean;

  /** `exited`: the leader, our own child, is gone. `supervised`: the leader looks after the tool, which is inside. */
  constructor(leader: number, exited: Promise<unknown>, supervised = false) {
    this.#leader = leader;
    this.#exited = exited;
    this.#supervised = supervised;
  }

  /** Resolves when nobody of the group is left, or has been killed. Asked again, it goes on as before. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (!this.#askToEnd()) return;
    const deadline = performance.now() + GRACE_MS;
    await within(this.#exited, { milliseconds: GRACE_MS });
    for (let pause = FIRST_LOOK_MS; performance.now() < deadline; pause = Math.min(2 * pause, LAST_LOOK_MS)) {
      if (!isGroupAlive(this.#leader)) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    signalGroup(this.#leader, 'SIGKILL');
  }

  /** False when there is nobody left. A supervisor that is asked itself would not ask the tool. */
  #askToEnd(): boolean {
    if (!this.#supervised) return signalGroup(this.#leader, 'SIGTERM');
    // Everything inside ends with the supervisor; looking for it among all processes takes milliseconds.
    if (!signalGroup(this.#leader, 0)) return false;
    for (const pid of insideOf(this.#leader)) signalProcess(pid);
    return true;
  }
}

/** Who runs below a supervisor, without the first process of its namespace. */
function insideOf(supervisor: number): readonly number[] {
  const table = listProcesses().flatMap((pid) => {
    const stat = readProcessStat(pid);
    return stat === undefined ? [] : [{ pid, parent: stat.parent }];
  });
  const below = (parents: readonly number[]): readonly number[] =>
    table.flatMap(({ pid, parent }) => (parents.includes(parent) ? [pid] : []));
  const found: number[] = [];
  for (let level = below(below([supervisor])); level.length > 0; level = below(level)) found.push(...level);
  return found;
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

function signalProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has just ended.
  }
}

/** Whether anybody in the group still runs. One that has ended counts no longer, even where nobody collects it. */
function isGroupAlive(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false;
  return process.platform === 'linux' ? hasLivingMember(leader) : true;
}

/** In a container without an init process, ended orphans stay in the process table. */
function hasLivingMember(group: number): boolean {
  return listProcesses().some((pid) => {
    const stat = readProcessStat(pid);
    return stat?.group === group && stat.state !== 'Z' && stat.state !== 'X';
  });
}
