import { tmpdir } from 'node:os';
import type { Clock, Logger, Root } from '@rootward/core';
import type { Environment } from '@rootward/core/platform';
import { enterSandbox } from '../connection/server-sandbox.js';
import { spawnServer, type ServerProcess } from '../connection/spawn-server.js';
import type { ServerDefinition } from '../servers/definition.js';
import { serverEnvironment } from '../servers/environment.js';
import type { Findings } from '../servers/findings.js';
import { IndexFolders } from '../projects/prepared-index.js';
import type { PoolLimits } from './limits.js';
import type { LanguageServersOptions } from './options.js';
import { ServerInstance, type ServedFolder } from './server-instance.js';
import type { ServerSlot } from './server-slot.js';

export interface StartingOptions extends Pick<
  LanguageServersOptions,
  'sandbox' | 'onDidSpawn' | 'changesMade' | 'cache'
> {
  readonly roots: () => readonly Root[];
  readonly findings: Findings;
  readonly environment: Environment;
  readonly limits: PoolLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Starts the servers of a pool. */
export class Starting {
  readonly #options: StartingOptions;
  /** Processes that are shaking hands: nobody else could end them. */
  readonly #processes = new Set<ServerProcess>();
  readonly #indexes: IndexFolders;
  #ended = false;

  constructor(options: StartingOptions) {
    this.#options = options;
    this.#indexes = new IndexFolders(options.cache);
  }

  async start(
    definition: ServerDefinition,
    folders: readonly ServedFolder[],
    slot: ServerSlot,
  ): Promise<ServerInstance> {
    const { findings, environment, roots, sandbox, onDidSpawn, limits, clock, log, changesMade } =
      this.#options;
    const { program, args: given, initializationOptions } = await findings.command(definition);
    const index =
      definition.indexed === undefined ? undefined : await this.#indexes.prepare(roots(), folders);
    const args = [...given, ...(index?.args ?? [])];
    const process = await spawnServer({
      name: definition.name,
      program,
      args,
      directory: workingDirectory(folders),
      environment: serverEnvironment(environment, roots(), definition),
      sandbox: await enterSandbox(sandbox, {
        definition,
        environment,
        roots: roots(),
        folders,
        program,
        args: given,
        writes: index === undefined ? [] : [index.folder],
      }),
    });
    onDidSpawn?.(process.child, {
      name: definition.name,
      sandbox: process.sandbox?.description ?? 'off',
      lastLines: () => process.lastLines(),
      restart: async () => {
        const served = slot.instance?.folders ?? folders;
        await slot.restart();
        await slot.use(served);
      },
    });
    this.#processes.add(process);
    // Nobody would end it any more.
    if (this.#ended) process.kill();
    try {
      return await ServerInstance.start({
        definition,
        process,
        folders,
        initializationOptions,
        limits,
        clock,
        log,
        changesMade,
        index,
      });
    } finally {
      this.#processes.delete(process);
    }
  }

  /** Ends those that are shaking hands, and every one that is started from now on. */
  end(): void {
    this.#ended = true;
    for (const process of this.#processes) process.kill();
  }

  /** Removes the private folders of servers, once none runs any more. */
  async dispose(): Promise<void> {
    await this.#indexes.dispose();
  }
}

/** Where a server with these folders runs. One without any must not run in whatever directory we are in. */
function workingDirectory(folders: readonly ServedFolder[]): string {
  return folders[0]?.path ?? tmpdir();
}
