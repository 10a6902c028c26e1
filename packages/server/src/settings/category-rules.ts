import { globCost } from '@rootward/core';
import * as z from 'zod';

/** A group of guidance documents as a settings file describes it. */
interface CategoryRule {
  /** The folder the documents are in, relative to the project; by default the project itself. */
  readonly dir?: string | undefined;
  /** Globs; one without a slash matches a name at any depth. By default Markdown. */
  readonly patterns?: readonly string[] | undefined;
  readonly description?: string | undefined;
}

export type CategoryRules = Readonly<Record<string, CategoryRule>>;

/** No slash, so that `category/document` has one reading; nothing that means something else in a URI or a terminal. */
const CATEGORY_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;
const MAX_DIRECTORY_LENGTH = 500;
const MAX_PATTERN_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 500;
const MAX_PATTERNS = 50;
const MAX_CATEGORIES = 100;

function isInnerPath(text: string): boolean {
  if (/[\\\p{Cc}]/u.test(text) || /^[A-Za-z]:/.test(text) || text.startsWith('/')) return false;
  return text.split('/').every((name) => name !== '..');
}

/** A glob that silently matches nothing, or takes hours to match, is told as a mistake. */
function isUsableGlob(text: string): boolean {
  // Groups, and what repeats them, would reach the regular expression as they are.
  if (text.startsWith('!') || /[()]|\]\+/.test(text) || !isInnerPath(text)) return false;
  const balanced = (open: string, close: string): boolean =>
    text.split(open).length === text.split(close).length;
  if (!balanced('[', ']') || !balanced('{', '}')) return false;
  return globCost(text) === undefined;
}

const category = (): z.ZodType<CategoryRule> =>
  z.strictObject({
    dir: z
      .string()
      .max(MAX_DIRECTORY_LENGTH)
      .refine(isInnerPath, 'it must lie inside the project')
      .optional()
      .describe('Folder of the documents, relative to the project'),
    patterns: z
      .array(z.string().min(1).max(MAX_PATTERN_LENGTH).refine(isUsableGlob, 'this glob cannot be used'))
      .min(1)
      .max(MAX_PATTERNS)
      .optional()
      .describe('Globs; one without a slash matches at any depth'),
    description: z.string().max(MAX_DESCRIPTION_LENGTH).optional(),
  });

export function categoriesSchema(): z.ZodType<CategoryRules> {
  return z
    .record(z.string().regex(CATEGORY_NAME), category())
    .refine((all) => Object.keys(all).length <= MAX_CATEGORIES, `more than ${MAX_CATEGORIES} categories`);
}
