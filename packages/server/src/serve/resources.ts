import { unwatchFile, watchFile } from 'node:fs';
import { disposable } from '@rootward/core/platform';
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { ReadResourceResult, ServerContext } from '@modelcontextprotocol/server';
import { RootwardError, type Project, type Root } from '@rootward/core';
import type { WorkspaceServer } from '@rootward/mcp';
import type { ToolCatalogue } from '../exec/project/tool-catalogue.js';

export const ROOTS_URI = 'workspace://roots';
export const PROJECT_URI = 'workspace://project';
const JSON_TYPE = 'application/json';

/** The workspace for clients that read resources. */
export function registerResources(server: WorkspaceServer): void {
  server.registerResource(
    'roots',
    ROOTS_URI,
    { title: 'Roots', description: 'The folders and files in scope', mimeType: JSON_TYPE },
    async (uri, { workspace }) => json(uri, { roots: (await workspace.scope()).roots.map(describeRoot) }),
  );
  server.registerResource(
    'project',
    PROJECT_URI,
    { title: 'Project', description: 'The project the work is about', mimeType: JSON_TYPE },
    async (uri, { workspace }) => json(uri, { project: await projectOf(() => workspace.project()) }),
  );
}

/** Changes of a file are looked for that often: no system tells of all of them. */
const LOOK_MS = 1000;

/** What one client is subscribed to. `tell` is called when the file behind a resource changes. */
export class Subscriptions {
  readonly #tell: (uri: string) => void;
  readonly #uris = new Set<string>();
  readonly #watched = new Map<string, () => void>();

  constructor(tell: (uri: string) => void) {
    this.#tell = tell;
  }

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** `file` is null where none is behind the resource. */
  add(uri: string, file: string | null): void {
    this.#uris.add(uri);
    if (file === null || this.#watched.has(uri)) return;
    this.#watched.set(
      uri,
      watchOne(file, () => this.#tell(uri)),
    );
  }

  remove(uri: string): void {
    this.#uris.delete(uri);
    this.#watched.get(uri)?.();
    this.#watched.delete(uri);
  }

  end(): void {
    for (const end of this.#watched.values()) end();
  }
}

/**
 * Lets legacy clients subscribe to them, and to resources of the tools project: `fileOf` says which file is behind one, or
 * that it is known (null). `subscriptionsOf` is asked for each request.
 */
export function offerSubscriptions(
  { server }: WorkspaceServer,
  fileOf: (uri: string) => string | null | undefined,
  subscriptionsOf: (ctx: ServerContext) => Subscriptions,
): void {
  server.registerCapabilities({ resources: { subscribe: true } });
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }, ctx) => {
    const file = uri === ROOTS_URI || uri === PROJECT_URI ? null : fileOf(uri);
    if (file === undefined) throw new ResourceNotFoundError(uri);
    subscriptionsOf(ctx).add(uri, file);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }, ctx) => {
    subscriptionsOf(ctx).remove(uri);
    return {};
  });
}

/**
 * The same for a modern client, which names the resources in `subscriptions/listen`: the entry point keeps the list, and
 * passes on what is on it. `follow` is for a server that lives as long as its connection.
 */
export function offerListening(
  { server }: WorkspaceServer,
  catalogue: ToolCatalogue,
  follow: boolean,
): Disposable {
  server.registerCapabilities({ resources: { subscribe: true } });
  if (!follow) return disposable(() => undefined);
  return catalogue.onDidChangeResource((uri) => {
    // The client may have gone meanwhile.
    server.sendResourceUpdated({ uri }).catch(() => undefined);
  });
}

function watchOne(file: string, onChange: () => void): () => void {
  watchFile(file, { interval: LOOK_MS, persistent: false }, onChange);
  return () => unwatchFile(file, onChange);
}

function describeRoot({ uri, path, name, kind, access, source }: Root): Record<string, unknown> {
  return { uri, path, name, kind, access, source };
}

async function projectOf(read: () => Promise<Project>): Promise<Project | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RootwardError && error.code === 'no-project') return null;
    throw error;
  }
}

function json(uri: URL, value: unknown): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(value) }] };
}
