/** Any handler of an SDK: its context is the last argument. */
export type Handler = (...args: unknown[]) => unknown;

/** Replaces a method of one object, if it has it. Neither SDK has another way to hook into a server. */
export function replaceMethod(target: object, name: string, replace: (original: Handler) => Handler): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') return;
  const original: Handler = (...args) => Reflect.apply(method, target, args);
  Object.defineProperty(target, name, { value: replace(original), configurable: true, writable: true });
}

export function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}
