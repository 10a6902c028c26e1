import { projectOf, type Root } from '@rootward/core';
import { findBrokenRules, type BrokenRules } from '../settings/workspace-rules.js';
import type { SettingsReader } from './project-session.js';

/** The files about these roots, of their own or of their user, that change nothing because they cannot be used. */
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
