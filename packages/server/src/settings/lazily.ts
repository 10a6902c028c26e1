/** Makes a value when it is first needed, and keeps it. For what is costly to make and never changes, such as a schema. */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
