import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The parts of the reference filesystem server that validate paths and read roots. It publishes no types. */
export interface PeerLibrary {
  setAllowedDirectories(directories: readonly string[]): void;
  validatePath(path: string): Promise<string>;
  readFileContent(path: string): Promise<string>;
}

export interface PeerRoots {
  getValidRootDirectories(roots: readonly { uri: string }[]): Promise<string[]>;
}

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve('@modelcontextprotocol/server-filesystem/package.json'));

/** The reference filesystem server. */
export const PEER: string = join(folder, 'dist/index.js');
/** The server of this repository, as it is published. */
export const OURS: string = join(dirname(require.resolve('rootward/package.json')), 'dist/rootward.cjs');

export async function loadPeer(): Promise<PeerLibrary> {
  const library: PeerLibrary = await import(pathToFileURL(join(folder, 'dist', 'lib.js')).href);
  return library;
}

export async function loadPeerRoots(): Promise<PeerRoots> {
  const roots: PeerRoots = await import(pathToFileURL(join(folder, 'dist', 'roots-utils.js')).href);
  return roots;
}

const manifest: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

export const peerName: string = `server-filesystem ${manifest.version}`;
