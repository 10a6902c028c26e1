import { Deferred, within } from '@rootward/core/platform';
import type { Root } from '@rootward/core';
import type { ChildRegistry } from '@rootward/mcp/host';
import { RootwardWrapError } from './error.js';
import { InnerEra } from './inner/era-bridge.js';
import { Instance } from './inner/instance.js';
import type { KeeperOptions } from './inner/keeper.js';
import { fillIn, type CommandTemplate } from './inner/launch.js';
import { RawMessage } from './wire/raw-message.js';

/** What a server is like, from starting it once. */
export interface ProbeReport {
  readonly name: string;
  readonly version: string;
  readonly revision: string;
  /** Names of the capabilities it declares. */
  readonly capabilities: readonly string[];
  readonly tools: number;
  /** Whether it asked for roots, so that a change can be told. */
  readonly askedForRoots: boolean;
  /** Bytes on stdout that were no message. */
  readonly noise: number;
}

/** What `probeServer` starts, and where. */
export interface ProbeOptions {
  readonly template: CommandTemplate;
  /** At least one folder. */
  readonly roots: readonly Root[];
  readonly children: ChildRegistry;
  readonly project: string;
  /** The launch as it is run, such as inside a sandbox. */
  readonly contain?: KeeperOptions['contain'];
  /** What that sandbox is, for people. */
  readonly sandbox?: string | undefined;
}

const ANSWER_MS = 60_000;
/** Servers that want roots ask right after they were introduced. */
const ROOTS_MS = 1500;

/** Starts a server as `rootward wrap` would, asks what it is, and ends it. Rejects where it does not answer. */
export async function probeServer({
  template,
  roots,
  children,
  project,
  contain,
  sandbox = 'off',
}: ProbeOptions): Promise<ProbeReport> {
  const directory = roots.find(({ kind }) => kind === 'directory')?.path ?? process.cwd();
  const launch = fillIn(template, { directory, roots: roots.map(({ path }) => path), project });
  let noise = 0;
  const asked = new Deferred();
  const instance = new Instance({
    launch,
    run: contain === undefined ? launch : await contain(launch, roots),
    roots,
    provisional: false,
    children,
    era: new InnerEra('legacy'),
    about: { name: template.command, sandbox },
    events: {
      request: () => undefined,
      notification: () => undefined,
      asked: () => asked.resolve(),
      noise: (bytes, from) => {
        if (from === 'stdout') noise += bytes.length;
      },
      left: () => undefined,
      crashed: () => undefined,
      worked: () => undefined,
    },
  });
  const ask = async (method: string, params?: object): Promise<RawMessage> => {
    const answer = instance.ask(method, params);
    if (await within(answer, { milliseconds: ANSWER_MS })) return answer;
    throw new RootwardWrapError(
      'no-answer',
      `it did not answer "${method}" within ${String(ANSWER_MS / 1000)} s`,
    );
  };
  try {
    const introduction = await ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: 'rootward-doctor', version: '1.0.0' },
    });
    if (introduction.isError) {
      throw new RootwardWrapError(
        'refused',
        `it refuses to be introduced: ${introduction.raw('error') ?? ''}`,
      );
    }
    instance.initialized(RawMessage.from({ method: 'notifications/initialized' }));
    const listed = await ask('tools/list');
    await within(asked.promise, { milliseconds: ROOTS_MS });
    const tools: unknown = listed.value('result', 'tools');
    return {
      name: String(introduction.value('result', 'serverInfo', 'name')),
      version: String(introduction.value('result', 'serverInfo', 'version')),
      revision: String(introduction.value('result', 'protocolVersion')),
      capabilities: Object.keys(Object(introduction.value('result', 'capabilities'))),
      tools: Array.isArray(tools) ? tools.length : 0,
      askedForRoots: instance.askedForRoots,
      noise,
    };
  } finally {
    instance.cut('the probe is over');
  }
}
