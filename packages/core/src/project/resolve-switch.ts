import { basename, isAbsolute, normalize, sep } from 'node:path';
import type { Root } from '../roots/root.js';
import { isProjectName } from './project-name.js';
import { canBeProject, choiceId, projectOf } from './project.js';

/** What the argument of a project switch means. */
export type SwitchTarget =
  | { readonly kind: 'root'; readonly root: Root }
  /** Several roots have this name: the ids tell them apart. */
  | { readonly kind: 'ambiguous'; readonly roots: readonly Root[] }
  /** Outside the roots: needs the user's consent. */
  | { readonly kind: 'path'; readonly path: string }
  /** No root has this name: a project without a path and without access. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'invalid' };

/** Reads a project's name, id or absolute path. Decides nothing about access. */
export function resolveSwitch(text: string, roots: readonly Root[]): SwitchTarget {
  const directories = roots.filter((root) => root.kind === 'directory');
  if (isAbsolute(text)) {
    const path = withoutEnd(normalize(text));
    if (!canBeProject({ path })) return { kind: 'invalid' };
    const root = directories.find((one) => one.path === path || one.declared === text);
    return root === undefined ? { kind: 'path', path } : { kind: 'root', root };
  }
  if (!isProjectName(text)) return { kind: 'invalid' };
  const named = directories.filter((root) => basename(root.path) === text || root.name === text);
  const [first, second] = named;
  if (first !== undefined) {
    return second === undefined ? { kind: 'root', root: first } : { kind: 'ambiguous', roots: named };
  }
  const root =
    directories.find((one) => choiceId(one) === text) ??
    directories.find((one) => {
      const project = projectOf(one);
      return project.id === text || project.name === text;
    });
  if (root !== undefined) return { kind: 'root', root };
  return DRIVE_FORM.test(text) ? { kind: 'invalid' } : { kind: 'name', name: text };
}

/** `C:` and `C:foo` are paths relative to a drive, wherever they are read; a root may still have such a name. */
const DRIVE_FORM = /^[A-Za-z]:/;

function withoutEnd(path: string): string {
  return path.length > 1 && path.endsWith(sep) && !path.endsWith(`:${sep}`) ? path.slice(0, -1) : path;
}
