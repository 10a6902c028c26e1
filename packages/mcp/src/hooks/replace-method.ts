/** Any handler of an SDK: its context is the last argument. */
export type Handler = (...args: unknown[]) => unknown;

/** Runs in place of a method; `original` is what it replaces. */
type Replacement = (target: object, original: Handler, args: readonly unknown[]) => unknown;

/** A method that takes the place of another, the same for all objects that have it. */
export interface SharedMethod {
  readonly name: string;
  readonly replacement: Replacement;
  readonly method: (this: object, ...args: unknown[]) => unknown;
}

export function sharedMethod(name: string, replacement: Replacement): SharedMethod {
  function method(this: object, ...args: unknown[]): unknown {
    const original: unknown = Reflect.get(Object.getPrototypeOf(this), name);
    return isHandler(original) ? replacement(this, bound(original, this), args) : undefined;
  }
  return { name, replacement, method };
}

/**
 * Puts it in place of the method of one object, if that has it. Neither SDK has another way to hook into a server. What is
 * made for the object alone takes 300 bytes, so that is only done where somebody else has replaced the method before.
 */
export function replaceShared(target: object, { name, replacement, method }: SharedMethod): void {
  if (Object.hasOwn(target, name)) {
    replaceMethod(
      target,
      name,
      (original) =>
        (...args) =>
          replacement(target, original, args),
    );
  } else if (isHandler(Reflect.get(target, name))) define(target, name, method);
}

/** Replaces a method of one object, if it has it. */
export function replaceMethod(target: object, name: string, replace: (original: Handler) => Handler): void {
  const method: unknown = Reflect.get(target, name);
  if (isHandler(method)) define(target, name, replace(bound(method, target)));
}

export function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}

function bound(method: Handler, target: object): Handler {
  return (...args) => Reflect.apply(method, target, args);
}

function define(target: object, name: string, value: Handler): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}
