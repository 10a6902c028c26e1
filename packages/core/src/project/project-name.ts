/** Longer than any file system allows for one name. */
const MAX_NAME_LENGTH = 255;

/** Whether a string can name a project: one plain path part. `.`, `..`, `./foo` and the empty string never can. */
export function isProjectName(text: string): boolean {
  if (text.trim() !== text || text === '' || text === '.' || text === '..') return false;
  return text.length <= MAX_NAME_LENGTH && !/[\\/\p{Cc}\p{Cs}]/u.test(text);
}
