export { SyntaxReader } from './syntax-reader.js';
export type { Declaration } from './syntax-reader.js';
