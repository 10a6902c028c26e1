/**
 * What fixtures have left to undo. Modules are loaded once for all test files of a worker, so a hook that a fixture sets
 * when it is loaded would run in the first of these files only: `clean-up-setup.ts` sets the hooks, for each file.
 */
const pending = { test: [] as CleanUp[], file: [] as CleanUp[] };

type CleanUp = () => unknown;

/** Has something undone after the current test. */
export function afterThisTest(undo: CleanUp): void {
  pending.test.push(undo);
}

/** Has something undone after the last test of the current file. */
export function afterThisFile(undo: CleanUp): void {
  pending.file.push(undo);
}

/** Undoes what is pending, the latest first. */
export async function cleanUp(after: keyof typeof pending): Promise<void> {
  for (const undo of pending[after].splice(0).reverse()) await undo();
}
