import { createHash } from 'node:crypto';

/** Most file systems end a name at 255 bytes; this leaves room for the lock's ending. */
const MAX_BYTES = 200;
const DIGEST_DIGITS = 16;
/** Windows keeps these names for devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * The file name that a project's settings have: readable, the same on every system, and different for different ids.
 * A project may be named after anything a folder can be, on a system that allows less for files.
 */
export function settingsFileName(id: string): string {
  const escaped = id
    .replaceAll(/[%<>:"|?*\\/\p{Cc}]/gu, escape)
    .replace(/[. ]$/, escape)
    .replace(DEVICE, (device) => escape(device.slice(0, 1)) + device.slice(1));
  if (Buffer.byteLength(escaped) <= MAX_BYTES) return `${escaped}.json`;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, DIGEST_DIGITS);
  // `%` followed by no hex digits cannot come out of escaping, so a shortened name is never that of another id.
  return `${shorten(escaped)}%~${digest}.json`;
}

function escape(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function shorten(text: string): string {
  let short = '';
  for (const character of text) {
    if (Buffer.byteLength(short + character) > MAX_BYTES - DIGEST_DIGITS) break;
    short += character;
  }
  return short;
}
