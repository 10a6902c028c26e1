export const LAZILY: string;
