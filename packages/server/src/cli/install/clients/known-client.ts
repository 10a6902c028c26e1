import { join } from 'node:path';
import { CLIENT_FILES, type ClientId } from '@rootward/core/platform';
import type { InstallScope } from './scopes.js';
import type { ClientPlaces } from './client-places.js';
import type { KeyPath } from '../formats/edit.js';

/** How a client reaches a server. */
export type ServerEntry =
  | {
      readonly kind: 'stdio';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      /** It runs in front of another server, whose tools are not known. */
      readonly wraps?: boolean;
    }
  | {
      readonly kind: 'http';
      readonly name: string;
      readonly url: string;
      readonly token: string | undefined;
    };

export type StdioEntry = Extract<ServerEntry, { kind: 'stdio' }>;

export type FormatName = 'json' | 'toml' | 'yaml';

export interface KnownClient {
  /** What `--client` takes. */
  readonly id: ClientId;
  readonly name: string;
  /** What it tells a server about folders. */
  readonly gives: string;
  /** What to add to the command, and when. */
  readonly advice: string;
  /** The file to paste a configuration into, or where to type it. */
  readonly place: string;
  readonly format: FormatName;
  /** The member that holds the servers. */
  readonly holder: string;
  /** What a new file holds beside them. */
  readonly around?: Readonly<Record<string, unknown>>;
  /** Folders have to be named for it. */
  readonly needsFolders?: boolean;
  /** A list of servers, in a file that holds nothing else. */
  readonly ownFile?: boolean;
  /** It takes servers over HTTP elsewhere, where only the address is typed. */
  readonly remote?: { readonly place: string; readonly note: string };
  entry(server: ServerEntry): Readonly<Record<string, unknown>>;
  /** What to say beside a configuration for this server. */
  note?(server: ServerEntry): string | undefined;
}

/** The scopes for which a client has a file. */
export function scopesOf({ id }: KnownClient): readonly InstallScope[] {
  const { project, user } = CLIENT_FILES[id];
  return [
    ...(project.length > 0 ? (['project'] as const) : []),
    ...(user === undefined ? [] : (['user'] as const)),
  ];
}

/** The files a client reads in a scope: the first that is there is edited, else the first is made. */
export function filesOf({ id }: KnownClient, scope: InstallScope, places: ClientPlaces): readonly string[] {
  const { project, user } = CLIENT_FILES[id];
  return scope === 'user' ? (user?.(places) ?? []) : project.map((file) => join(places.project, file));
}

/** Where the entry of a server goes. */
export function pathOf({ holder }: KnownClient, name: string): KeyPath {
  return [holder, name];
}

/** The headers of a request, as most clients name them. */
export function headers(token: string | undefined): { readonly headers?: Readonly<Record<string, string>> } {
  return token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
}
