export interface PublicPackage {
  readonly file: string;
  readonly manifest: { readonly name: string; readonly version: string };
}

export function isVersion(text: string): boolean;
export function publicPackages(repository: string): PublicPackage[];
export function currentVersion(packages: readonly PublicPackage[]): string;
export function withVersion(
  repository: string,
  packages: readonly PublicPackage[],
  from: string,
  to: string,
): Map<string, string>;
export function linesBeforeFirstRelease(repository: string): string[];
