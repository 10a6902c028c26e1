import type { ServerDefinition } from '../servers/definition.js';

/** Where servers that nobody has measured like to stop. */
const ROUND: ReadonlySet<number> = new Set([
  50, 64, 100, 128, 200, 250, 256, 300, 400, 500, 512, 1_000, 1_024, 2_000, 2_048, 4_096, 5_000, 10_000,
]);

/** Whether a server may know more symbols than it gave: many stop at some number, and none says so. Pure. */
export function mayBeCut({ maxSymbols }: Pick<ServerDefinition, 'maxSymbols'>, symbols: number): boolean {
  return maxSymbols === undefined ? ROUND.has(symbols) : symbols >= maxSymbols;
}
