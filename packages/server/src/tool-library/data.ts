/** What `truncate()` made of a value. */
export interface Truncated {
  readonly result: unknown;
  readonly truncated: boolean;
  /** Items that are left, and items there were; absent where there is no list. */
  readonly kept?: number;
  readonly total?: number;
  readonly error?: { readonly type: string; readonly message: string };
}

const PATH = /^\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/**
 * Shortens a list until the value takes at most `maxBytes` as JSON. The list is the value itself, or what stands at
 * `arrayPath` (such as `.data.items`), or `results`.
 */
export function truncate(value: unknown, maxBytes: number, arrayPath?: string): Truncated {
  if (arrayPath !== undefined && arrayPath !== '.' && !PATH.test(arrayPath)) {
    return failed('invalid_path_syntax', `${arrayPath} is not a path such as .data.items`);
  }
  const path = arrayPath ?? (Array.isArray(value) ? '.' : '.results');
  const keys = path.split('.').filter((key) => key !== '');
  const list = keys.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
  if (arrayPath !== undefined && list === undefined) {
    return failed('path_not_found', `${arrayPath} is not in the value`);
  }
  if (arrayPath !== undefined && !Array.isArray(list)) {
    return failed('invalid_array_path', `${arrayPath} is not a list`);
  }
  const size = sizeOf(value);
  if (!Array.isArray(list)) {
    if (size <= maxBytes) return { result: value, truncated: false };
    return failed('output_too_large', `${size} bytes are too many, and there is no list to shorten`);
  }
  const total = list.length;
  if (size <= maxBytes) return { result: value, truncated: false, kept: total, total };
  const kept = fitting(list, maxBytes - sizeOf(replaced(value, keys, [])));
  if (kept === undefined) return failed('output_too_large', 'it is too large even with an empty list');
  return { result: replaced(value, keys, list.slice(0, kept)), truncated: true, kept, total };
}

/** What went wrong in a program: what it printed as JSON says so, or its error output, or its exit code. */
export function cliError(stdout: string, stderr: string, exitCode: number): string {
  const said = errorIn(stdout);
  if (said !== undefined) return said;
  return stderr.trim() === '' ? `The program ended with exit code ${exitCode}` : stderr.trim();
}

/** Calls it until it succeeds, at most so many times, waiting twice as long after each failure. */
export async function retry<Value>(
  attempts: number,
  delaySecs: number,
  act: () => Promise<Value> | Value,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (attempt >= attempts) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, delaySecs * 1000 * 2 ** (attempt - 1)));
  }
}

function errorIn(stdout: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { error, message, errors, success, ok, status } = value;
  const [first]: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const failedToo = success === false || ok === false || status === 'error';
  const candidates = [
    isRecord(error) ? error['message'] : error,
    failedToo ? message : undefined,
    isRecord(first) ? first['message'] : undefined,
  ];
  return candidates.find((each) => typeof each === 'string' && each !== '')?.toString();
}

/** How many items fit beside what is there already; undefined where that alone is too much. */
function fitting(list: readonly unknown[], room: number): number | undefined {
  if (room < 0) return undefined;
  let left = room;
  let kept = 0;
  for (const item of list) {
    left -= sizeOf(item) + (kept === 0 ? 0 : 1);
    if (left < 0) break;
    kept += 1;
  }
  return kept;
}

function replaced(value: unknown, keys: readonly string[], list: readonly unknown[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined || !isRecord(value)) return list;
  return { ...value, [key]: replaced(value[key], rest, list) };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null');
}

function failed(type: string, message: string): Truncated {
  return { result: null, truncated: false, error: { type, message } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
