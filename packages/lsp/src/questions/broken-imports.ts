import { dirname, join } from 'node:path';
import type { Scope } from '@rootward/core';
import { codeOnly } from '../documents/code-only.js';
import { lineStart } from '../documents/find-word.js';
import type { FoundDiagnostic } from './diagnostics.js';

const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/i;
/** An import of a file by its place, not of a package. */
const IMPORT = /\b(?:from|import|require)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]*|\.{1,2})\1/g;
const ENDINGS = ['', '.ts', '.tsx', '.d.ts', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json', '.node'];

/**
 * Finds imports in JavaScript and TypeScript that lead to no file. Language servers report them in JavaScript only where
 * the project has its types checked.
 */
export function brokenImports(scope: Scope, path: string, text: string): readonly FoundDiagnostic[] {
  if (!SCRIPT.test(path)) return [];
  const code = codeOnly(text, 'typescript');
  const found: FoundDiagnostic[] = [];
  for (const { index, 0: all, 2: name = '' } of text.matchAll(IMPORT)) {
    // In a comment or a string.
    if (code[index] !== all[0] || leadsToFile(scope, join(dirname(path), name))) continue;
    const line = text.slice(0, index).split(/\r\n|\n|\r/).length;
    const column = index - lineStart(text, line - 1) + 1;
    found.push({ line, column, severity: 'error', message: `Cannot find "${name}"`, source: 'rootward' });
  }
  return found;
}

/** Outside the roots nobody looks, so nothing is said of what is there. */
function leadsToFile(scope: Scope, path: string): boolean {
  const typed = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  return [path, typed, path.replace(/\.[cm]?jsx?$/, '')].some((base) =>
    [base, join(base, 'index')].some((stem) => ENDINGS.some((ending) => exists(scope, stem + ending))),
  );
}

function exists(scope: Scope, path: string): boolean {
  try {
    return scope.locate(path).exists;
  } catch {
    return true;
  }
}
