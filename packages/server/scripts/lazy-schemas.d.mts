export function lazySchemas(code: string): string;
export function registerLazily(contents: string): string;
export const LAZILY: string;
