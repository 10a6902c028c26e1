import { RootwardServerError } from '../error.js';

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60 * 1000,
  h: 60 * 60 * 1000,
  d: 24 * 60 * 60 * 1000,
  w: 7 * 24 * 60 * 60 * 1000,
};

/** A point in time: so long ago (`90s`, `10m`, `2h`, `1d`), or a date and time. Undefined for anything else. */
export function readTime(text: string, now: number): number | undefined {
  const [, amount, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*$/i.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * (UNITS[unit.toLowerCase()] ?? 0);
  // A bare number would be read as a year.
  const time = /^\s*\d{4}-\d\d/.test(text) ? Date.parse(text.trim()) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** The same for the command line. */
export function requireTime(text: string, name: string, now: number): number {
  const time = readTime(text, now);
  if (time !== undefined) return time;
  throw new RootwardServerError(
    'usage',
    `Cannot use ${JSON.stringify(text)} as ${name}: expected a time such as 10m, 2h, 1d or 2026-11-16T08:00`,
  );
}
