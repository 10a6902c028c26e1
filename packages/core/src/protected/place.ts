/** Why nobody but the user may touch a place: whom it belongs to. */
export type PlaceKind = 'kept' | 'steering' | 'credential' | 'rules';

/** `hidden`: neither read nor changed. `fixed`: read, but never changed, moved, removed or made. */
export type Protection = 'hidden' | 'fixed';

/** One entry of the register of protected places. Everything below a protected folder is protected, too. */
export interface ProtectedPlace {
  /**
   * `at`: an absolute path. `any-depth`: a path below any folder, with `/`, in any letter case; `*` in its last name
   * stands for any part of a name. `broad-root`: a glob below a root as wide as a home directory.
   */
  readonly where: 'at' | 'any-depth' | 'broad-root';
  readonly path: string;
  readonly protection: Protection;
  readonly kind: PlaceKind;
  /** The end of the sentence "Cannot write PATH: …". */
  readonly reason: string;
  /** Open where the operator named that very place, or one in it, as a root. */
  readonly unlessNamed: boolean;
}

/** A machine and its user, as far as protected places depend on them. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Default: this system. */
  readonly platform?: NodeJS.Platform | undefined;
  /** The number of the user, which is in the name of the runtime folder. Default: that of this process. */
  readonly uid?: number | undefined;
}

/** Makes entries for places that are protected for the same reason. */
export function toPlaces(
  entry: Omit<ProtectedPlace, 'path'>,
  paths: readonly string[],
): readonly ProtectedPlace[] {
  return [...new Set(paths)].map((path) => Object.assign({ path }, entry));
}
