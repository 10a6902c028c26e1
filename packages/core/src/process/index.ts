export { killTrees, residentMemory } from './process-tree.js';
export type { KillSignal } from './process-tree.js';
