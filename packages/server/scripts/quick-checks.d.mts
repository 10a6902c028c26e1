export function checkQuickly(contents: string): string;
