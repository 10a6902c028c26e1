import type { Logger, OperatorLimits, Sources } from '@rootward/core';
import { within } from '@rootward/core/platform';
import { ChildRegistry } from '@rootward/mcp/host';
import type { WrappedServer } from '@rootward/wrap';
import { RootwardServerError } from '../error.js';
import type { Settings } from '../settings/settings.js';
import type { WrappedEntry } from '../settings/values/wrap-settings.js';
import type { ContainmentOptions } from './contain.js';
import { findCommand } from './find-command.js';
import { NOT_ENFORCED, rulesForSandbox } from './unenforced-rules.js';

/** The servers of others that this one offers the tools of. */
export interface WrappedServers {
  /** By prefix. */
  readonly servers: ReadonlyMap<string, WrappedServer>;
  /** Their processes. */
  readonly children: ChildRegistry;
  close(): Promise<void>;
}

interface Start {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly directory: string;
}

/** What holds for all of them. */
interface Held extends Pick<ContainmentOptions, 'sandboxes' | 'createScope'> {
  readonly log: Logger;
  readonly limits: OperatorLimits;
  readonly sources: Sources;
}

type WrapSettings = Pick<Settings, 'wrap' | 'sandbox' | 'readOnly' | 'origins' | 'files' | 'http'>;

/** One that takes longer is listed when it is ready; most clients give up on a server after half a minute. */
const START_MS = 10_000;
/** Of each entry, over HTTP: for principals and their folders. Those that idle for five minutes are ended. */
const MAX_SERVERS = 100;

/** Starts what `wrap` of `rootward.json` names. One that does not start is warned of, and the others count. */
export async function openWrapped(
  settings: WrapSettings,
  start: Start,
  held: Held,
): Promise<WrappedServers | undefined> {
  const entries = Object.entries(settings.wrap ?? {});
  if (entries.length === 0) return undefined;
  const children = new ChildRegistry();
  process.once('exit', () => children.kill());
  const { emptyFolderOnUse } = await import('@rootward/wrap');
  const emptyFolder = emptyFolderOnUse();
  const servers = new Map<string, WrappedServer>();
  for (const [prefix, entry] of entries) {
    servers.set(prefix, await create(prefix, entry, settings, start, { ...held, children, emptyFolder }));
  }
  const opening = [...servers].map(async ([prefix, server]) => {
    try {
      await server.open();
    } catch (error) {
      held.log.warn('wrapped server not started', { server: prefix, error: String(error) });
    }
  });
  await within(Promise.all(opening), { milliseconds: START_MS });
  return {
    servers,
    children,
    close: async () => {
      for (const server of servers.values()) server.close();
      await children.end();
    },
  };
}

async function create(
  name: string,
  { command, args = [], env = {}, sandbox, onChange = 'auto', tools, hideTools }: WrappedEntry,
  settings: WrapSettings,
  start: Start,
  {
    children,
    emptyFolder,
    ...held
  }: Held & { readonly children: ChildRegistry; readonly emptyFolder: () => string },
): Promise<WrappedServer> {
  const { noiseTo, ToolFilter, WrappedServer } = await import('@rootward/wrap');
  const found = await findCommand([command, ...args], start).catch((error: unknown) => {
    throw namingEntry(error, name);
  });
  const level = sandbox ?? settings.sandbox.level ?? 'off';
  const { openContainment } = await import('./contain.js');
  const contained = await openContainment({ ...start, ...held, level, settings: settings.sandbox });
  const rules = contained === undefined ? rulesForSandbox(settings, held.sources) : [];
  if (rules.length > 0) held.log.warn(NOT_ENFORCED, { server: name, rules });
  return new WrappedServer({
    template: { ...found, set: env, environment: process.env },
    policy: onChange,
    filter: new ToolFilter({ show: tools, hide: hideTools }),
    children,
    limits: held.limits,
    maxServers: settings.http === undefined ? undefined : MAX_SERVERS,
    noise: noiseTo(process.stderr),
    emptyFolder,
    contain: contained?.contain,
    shown: { name, sandbox: contained?.description ?? 'off' },
  });
}

/** Several entries may have the same command. */
function namingEntry(error: unknown, name: string): unknown {
  if (!(error instanceof RootwardServerError)) return error;
  return new RootwardServerError(error.code, `${error.message} ("wrap.${name}")`, { cause: error });
}
