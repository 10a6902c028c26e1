import type { PublicPackage } from './versions.mjs';

export interface Repository {
  readonly url: string;
  readonly owner: string;
}

export function readRepository(text: string): Repository;
export function withRepository(
  folder: string,
  packages: readonly PublicPackage[],
  repository: Repository,
): Map<string, string>;
