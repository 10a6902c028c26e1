export function compileLate(contents: string): string;
