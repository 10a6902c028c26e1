import type { DemoOptions } from './demo-client.js';
import type { Narrator } from './narrator.js';

/** Where the tour takes place, and how its servers are started. */
export interface TourPlace extends Pick<DemoOptions, 'environment'> {
  readonly base: string;
  readonly program: readonly [string, ...string[]];
  readonly narrator: Narrator;
}
