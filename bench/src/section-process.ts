import { SECTIONS } from './sections.js';

/** One bench in a process of its own, which hands its figures to the one that started it. */
const [name = ''] = process.argv.slice(2);
const measure = SECTIONS[name];
if (measure === undefined) throw new Error(`Unknown bench "${name}"`);
process.send?.(await measure());
process.disconnect();
