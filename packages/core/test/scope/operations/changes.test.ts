import { linkSync, readdirSync, renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { platforms, rootAt, useTree } from '../fixture.js';
import { Scope } from '../../../src/scope/scope.js';
import type { Plan, Recorder, Recording } from '../../../src/scope/recording/recorder.js';

const tree = useTree();

/** Does something between the note of a change and the change itself. */
function interrupting(act: () => void) {
  const failed: Plan[] = [];
  const plans: Plan[] = [];
  const recorder: Recorder = {
    async record(plan): Promise<Recording> {
      plans.push(plan);
      act();
      const noted = { taken: false, done: () => undefined, partly: () => undefined };
      return { ...noted, failed: () => void failed.push(plan) };
    },
  };
  return { recorder, plans, failed };
}

describe.each(platforms)('on the %s platform', (_name, platform) => {
  const scopeWith = (recorder?: Recorder) =>
    new Scope({ roots: [rootAt(tree().inside)], platform, ...(recorder && { recorder }) });

  test('mkdir() of what is there notes nothing: a process that is killed could not take the note back', async () => {
    tree().make({ 'a.txt': 'a', 'd/b.txt': 'b' });
    const { recorder, plans } = interrupting(() => undefined);
    const scope = scopeWith(recorder);
    await expect(scope.mkdir('a.txt')).rejects.toMatchObject({ code: 'already-exists' });
    await expect(scope.mkdir('d')).rejects.toMatchObject({ code: 'already-exists' });
    await scope.mkdir('d', { recursive: true });
    expect(plans).toEqual([]);
  });

  test('a change that another program makes while it is noted is noted anew', async () => {
    tree().make({ 'a.txt': 'a' });
    let count = 0;
    const { recorder, plans, failed } = interrupting(() => {
      if (count++ === 0) tree().make({ 'a.txt': 'longer' });
    });
    await scopeWith(recorder).remove('a.txt');
    expect(plans).toHaveLength(2);
    expect(failed).toEqual([plans[0]]);
    expect(plans[1]).toMatchObject({ prior: { stats: { size: 6 } } });
    expect(tree().names()).toEqual([]);
  });

  test('rename() of a file onto another name of it leaves one name', async () => {
    tree().make({ 'a.txt': 'a' });
    linkSync(tree().in('a.txt'), tree().in('b.txt'));
    await scopeWith().rename('a.txt', 'b.txt', { overwrite: true });
    expect(tree().names()).toEqual(['b.txt']);
  });

  // Elsewhere the system cannot be asked where a folder is.
  test.runIf(platform.guarantee('write') === 'race-free').each([
    ['write', (scope: Scope) => scope.write('d/new.txt', 'new')],
    ['mkdir', (scope: Scope) => scope.mkdir('d/new')],
    ['mkdir of several', (scope: Scope) => scope.mkdir('d/new/newer', { recursive: true })],
    ['remove', (scope: Scope) => scope.remove('d/a.txt')],
    ['rename', (scope: Scope) => scope.rename('d/a.txt', 'd/b.txt')],
  ])('%s in a folder that moves meanwhile is refused, and not made elsewhere', async (_method, change) => {
    tree().make({ 'd/a.txt': 'a' });
    const { recorder, plans, failed } = interrupting(() => renameSync(tree().in('d'), tree().in('e')));
    await expect(change(scopeWith(recorder))).rejects.toMatchObject({ code: 'unstable-path' });
    expect(failed).toEqual(plans);
    expect(readdirSync(tree().in('e'))).toEqual(['a.txt']);
  });
});
