import { dirname } from 'node:path';
import type { Root } from '@rootward/core';
import { findBrokenRules, withFoldersAbove, type BrokenRules } from '../settings/workspace-rules.js';
import type { SettingsReader } from './project-session.js';

/** Settings files for these roots, in them or kept by the user, that cannot be used. */
export function findProjectProblems(
  roots: readonly Root[],
  store: SettingsReader | undefined,
): readonly BrokenRules[] {
  return [...findBrokenRules(roots), ...userProblems(roots, store)];
}

function userProblems(roots: readonly Root[], store: SettingsReader | undefined): readonly BrokenRules[] {
  const rulesOf = store?.rules();
  if (rulesOf === undefined) return [];
  const folders = roots.map(({ kind, path }) => (kind === 'directory' ? path : dirname(path)));
  const kept = [...new Set(folders.flatMap(withFoldersAbove))].flatMap(rulesOf);
  const problems = kept.flatMap(({ file, reading }) =>
    'problem' in reading ? [[file, { file, problem: reading.problem }] as const] : [],
  );
  return [...new Map(problems).values()];
}
