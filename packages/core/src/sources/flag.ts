import { failFast } from './fail-fast.js';
import { absent, describeNamed, readPaths, type RootSource } from './root-source.js';

/** `--root DIR` and positional directories. */
export const flagSource: RootSource = {
  source: 'flag',
  async read(context) {
    const origin = context.origins.roots ?? '--root';
    if (context.roots.length === 0) return absent('flag', `${origin} not given`);
    const entries = context.roots.map((path) => ({ path }));
    const list = await readPaths('flag', entries, context, context.directory);
    failFast(list, origin, context);
    return { ...list, source: 'flag', given: true, detail: `${origin} ${describeNamed(list)}` };
  },
};
