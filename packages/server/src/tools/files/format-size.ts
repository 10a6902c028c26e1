const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
const STEP = 1024;

/** `0 B`, `17 B`, `1.50 KB`: as the reference server writes sizes. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(2)} ${UNITS[unit] ?? ''}`;
}
