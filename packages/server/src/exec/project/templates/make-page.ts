import { isObject } from '@rootward/core/platform';
import { FORM, PROGRESS, TABLE } from './plain-pages.js';
import { pageDocument } from './page-document.js';
import type { PageKind } from './page-kind.js';
import { BOARD, DIFFERENCE, TREE } from './structured-pages.js';

const KINDS: ReadonlyMap<string, PageKind> = new Map([
  ['form', FORM],
  ['data-table', TABLE],
  ['progress', PROGRESS],
  ['diff-viewer', DIFFERENCE],
  ['tree-view', TREE],
  ['kanban', BOARD],
]);

/** Makes the page that `ui.meta.json` asks for by `template` and `config`. Pure. */
export function makePage(
  template: unknown,
  config: unknown,
): { readonly html: string } | { readonly field: string; readonly problem: string } {
  const kind = typeof template === 'string' ? KINDS.get(template) : undefined;
  if (kind === undefined) {
    return { field: 'template', problem: `it must be one of ${[...KINDS.keys()].join(', ')}` };
  }
  const given = config ?? {};
  if (!isObject(given)) return { field: 'config', problem: 'it must be an object' };
  const problem = kind.check?.(given);
  if (problem !== undefined) return { field: 'config', problem };
  const { title } = given;
  const { body, script } = kind;
  return {
    html: pageDocument({
      title: typeof title === 'string' ? title : kind.title,
      config: given,
      body,
      script,
    }),
  };
}
