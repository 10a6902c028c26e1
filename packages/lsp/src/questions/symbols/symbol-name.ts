/** A symbol with the names of what it is in, outermost first. */
export interface SymbolName {
  readonly containers: readonly string[];
  readonly name: string;
}

/** Go writes the receiver of a method in front of it: `(*Router).HandleFunc`. */
const RECEIVER = /^\(\s*\*?\s*([\p{L}\p{N}_.]+)(?:\[.*\])?\s*\)\.(.+)$/su;
const SEPARATOR = /::|->|[.#]/;

/** A name as callers write it: `total`, `Cart.total`, `shop::Cart`, `Cart#total` or `(*Router).HandleFunc`. Pure. */
export function readSymbol(symbol: string): SymbolName {
  const parts = symbol.replace(RECEIVER, '$1.$2').split(SEPARATOR).filter(Boolean);
  const name = parts.at(-1);
  return name === undefined ? { containers: [], name: symbol } : { containers: parts.slice(0, -1), name };
}

/** A name as servers write it: `save(int)`, `List<T>`, `impl Cart` or with a receiver. Pure. */
export function serverName(raw: string): SymbolName {
  const receiver = RECEIVER.exec(raw);
  if (receiver !== null) return { containers: [receiver[1] ?? ''], name: plain(receiver[2] ?? raw) };
  return { containers: [], name: plain(raw) };
}

/** Whether what a symbol is in ends with the names that were asked for. Callers name a variable after its type. */
export function isIn(containers: readonly string[], wanted: readonly string[]): boolean {
  const inner = containers.slice(Math.max(0, containers.length - wanted.length));
  return (
    inner.length === wanted.length &&
    inner.every((container, index) => words(container).includes(wanted[index]?.toLowerCase() ?? ''))
  );
}

function plain(name: string): string {
  return name.replace(/[(<].*$/s, '').trim() || name;
}

function words(name: string): readonly string[] {
  return name.toLowerCase().split(/[^\p{L}\p{N}_$]+/u);
}
