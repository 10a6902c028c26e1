import type { JsonObject } from '@rootward/core/platform';

/** A kind of page, by what its script does with `config` and the result of the tool. */
export interface PageKind {
  readonly title: string;
  /** Holds an element with the id `place`. */
  readonly body: string;
  /** Defines `show(data)`, and `showProgress(params)` if it shows progress. */
  readonly script: string;
  /** Says what is wrong with a configuration, if anything is. */
  readonly check?: (config: JsonObject) => string | undefined;
}
