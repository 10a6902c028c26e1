import { projectOf, type Root } from '@rootward/core';
import { findBrokenRules, type BrokenRules } from '../settings/workspace-rules.js';
import type { SettingsReader } from './project-session.js';

/** Settings files for these roots, in them or kept by the user, that have no effect because they cannot be used. */
export function findProjectProblems(
  roots: readonly Root[],
  store: SettingsReader | undefined,
): readonly BrokenRules[] {
  return [...findBrokenRules(roots), ...(store === undefined ? [] : userProblems(roots, store))];
}

function userProblems(roots: readonly Root[], store: SettingsReader): readonly BrokenRules[] {
  const ids = new Set(roots.filter(({ kind }) => kind === 'directory').map((root) => projectOf(root).id));
  return [...ids].flatMap((id) => {
    const reading = store.read(id);
    return reading === undefined || !('problem' in reading)
      ? []
      : [{ file: store.fileOf(id), problem: reading.problem }];
  });
}
