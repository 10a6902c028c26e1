import type { Scope } from '@rootward/core';
import type { ChangeAbout, History } from '@rootward/core/history';

/** Looks again, and says under which change it noted what differs; undefined where nothing does. */
export type EndWatch = () => Promise<string | undefined>;

/** Where a result that is not ours says under which change it was noted: the structured part is its maker's own. */
export const CHANGE_META_KEY = 'rootward/changeId';

/** Looks at the roots before a program that does not go through the fence changes something in them. */
export async function watchProgram(
  open: () => History | Promise<History>,
  about: ChangeAbout,
  scope: Scope,
  signal?: AbortSignal,
): Promise<EndWatch> {
  const history = await open();
  const { Survey } = await import('@rootward/core/history');
  const survey = await Survey.begin(history, scope, { signal });
  return async () => {
    const recorder = history.change(about, scope.roots);
    await survey.end(recorder);
    recorder.finish();
    return recorder.id;
  };
}
