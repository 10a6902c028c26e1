export function lazySchemas(code: string): string;
export function registerLazily(contents: string): string;
