/**
 * Zod makes a function of its own for the schema of an object when that parses its first value. To compile one takes a
 * quarter of a millisecond, which a schema earns back only after many values: most are for what a process reads once.
 */
const COMPILE_AFTER = 20;

/** Takes the schemas of Zod's core, and returns them so that they compile later. */
export function compileLate(contents) {
  const parts = contents.split(/(?<=let fastpass;)|(?<=ctx\.jitless !== true)(?=\) \{)/);
  if (parts.length !== 3) throw new Error('Cannot find where Zod compiles schemas');
  const [head, between, tail] = parts;
  // Counting on would cost calls that come many at once a tenth.
  return `${head} let parsed = 0;${between} && (fastpass || ++parsed > ${COMPILE_AFTER})${tail}`;
}
