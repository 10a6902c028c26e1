import { RootwardError } from '../error.js';
import { failFast } from './fail-fast.js';
import { absent, describeNamed, readPaths, type RootSource, type SourceContext } from './root-source.js';
import { projectDirectory } from './project.js';

interface Variable {
  readonly name: string;
  readonly separator?: string | undefined;
  /** What relative paths in it are relative to; without one they are refused. */
  readonly base: (context: SourceContext) => string | undefined;
}

/** The first one that is set counts. */
const VARIABLES: readonly Variable[] = [
  { name: 'ROOTWARD_ROOTS', base: () => undefined },
  { name: 'MCPBASH_ROOTS', base: projectDirectory },
];

/** `ROOTWARD_ROOTS` and `MCPBASH_ROOTS`, and before them one that the author has named: paths in one variable. */
export const envSource: RootSource = {
  source: 'env',
  async read(context) {
    const own = context.rootsVariable;
    const variables: readonly Variable[] =
      own === undefined ? VARIABLES : [{ ...own, base: () => undefined }, ...VARIABLES];
    for (const { name, separator = context.style === 'windows' ? ';' : ':', base } of variables) {
      const text = context.environment[name] ?? '';
      if (text === '') continue;
      const paths = text.split(separator).filter((path) => path.trim() !== '');
      if (paths.length === 0) throw namesNothing(text, name);
      const entries = paths.map((path) => ({ path }));
      const list = await readPaths('env', entries, context, base(context));
      failFast(list, name, context);
      return { ...list, source: 'env', given: true, detail: `${name} ${describeNamed(list)}` };
    }
    return absent('env', `${variables.map(({ name }) => name).join(' and ')} not set`);
  },
};

/** Most likely made of variables that are not set. If it were skipped silently, another source would decide. */
function namesNothing(text: string, name: string): RootwardError {
  return new RootwardError(
    'invalid-option',
    `Cannot use ${JSON.stringify(text)} as ${name}: it names nothing; leave it empty for none`,
    { instruction: 'Ask the user to correct what this server was started with' },
  );
}
