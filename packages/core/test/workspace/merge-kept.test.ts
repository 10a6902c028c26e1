import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeptWorkspace } from '../../src/index.js';
import { isSameAnswer, mergeKept } from '../../src/workspace/merge-kept.js';

const uri = (name: string): string => `file:///work/${name}`;

function answered(names: readonly string[], more: KeptWorkspace = {}): KeptWorkspace {
  if (names.length === 0) return { client: 'empty', hasGiven: true, ...more };
  return { client: 'answered', roots: names.map((name) => ({ uri: uri(name) })), hasGiven: true, ...more };
}

const namesOf = ({ roots = [] }: KeptWorkspace): readonly string[] =>
  roots.map((root) => root.uri.slice(uri('').length));

describe('mergeKept()', () => {
  const since = answered(['a', 'b'], { consents: ['/work/x'] });

  test('leaves roots to whoever heard from the client, and a project to whoever chose one', () => {
    const ours = { ...since, project: { path: '/work/a' } };
    const theirs = { ...answered(['a']), consents: ['/work/x'] };
    const merged = mergeKept(since, ours, theirs, 'now');
    expect(merged).toEqual({ ...theirs, project: { path: '/work/a' } });
    expect(mergeKept(since, theirs, ours, 'now')).toEqual(merged);
  });

  test('keeps the consents of both, and none that one of them lost', () => {
    const ours = { ...since, consents: ['/work/x', '/work/y'] };
    const theirs = { ...since, consents: ['/work/z'] };
    expect(mergeKept(since, ours, theirs, 'now').consents).toEqual(['/work/z', '/work/y']);
  });

  test('drops a consent to what the client took back from the other one meanwhile', () => {
    const ours = { ...since, consents: ['/work/x', '/work/b/deep', '/work/y'] };
    const theirs = { ...answered(['a']), consents: ['/work/x'] };
    for (const merged of [mergeKept(since, ours, theirs, 'now'), mergeKept(since, theirs, ours, 'now')]) {
      expect(merged.consents).toEqual(['/work/x', '/work/y']);
    }
    const all = mergeKept(since, ours, { ...answered([]), consents: [] }, 'now');
    expect(all.consents).toBeUndefined();
  });

  test('of two answers keeps what they have in common, until the client was asked again', () => {
    const merged = mergeKept(since, answered(['a', 'c']), answered(['c', 'd']), 'now');
    const disputed = { disputed: true, change: 'now', outdated: true };
    expect(merged).toEqual(answered(['c'], disputed));
    const apart = mergeKept(since, answered(['a']), answered(['b']), 'now');
    expect(apart).toEqual(answered([], disputed));
    expect(mergeKept(since, answered(['a']), answered([]), 'now')).toEqual(apart);
    expect(mergeKept(since, apart, answered(['b']), 'now')).toEqual(apart);
    expect(mergeKept(apart, apart, answered(['b']), 'now')).toEqual(answered(['b']));
  });

  test('of two equal answers disputes nothing', () => {
    const [ours, theirs] = [answered(['a'], { change: 'one' }), answered(['a'], { change: 'two' })];
    expect(mergeKept(since, ours, theirs, 'now')).toEqual(answered(['a'], { change: 'now', outdated: true }));
  });

  test.each(['silent', 'refused', 'malformed'] as const)(
    'takes no %s client for one that took its roots back',
    (client) => {
      for (const [before, answer] of [
        [{}, answered(['a'])],
        [since, answered(['a', 'b', 'c'])],
        [since, answered(['a'])],
        [since, answered([])],
      ] as const) {
        const failed = { ...before, client };
        const { consents: _, ...merged } = mergeKept(before, failed, answer, 'now');
        expect(merged).toEqual({ ...answer, change: 'now' });
        expect(mergeKept(before, answer, failed, 'now')).toMatchObject(merged);
        // What it announced to the other one may be newer than the answer.
        const announced = mergeKept(before, { ...failed, change: 'heard' }, answer, 'now');
        expect(announced).toMatchObject({ ...answer, outdated: true });
      }
    },
  );

  test('counts an answer that a failed question came after', () => {
    const ours = answered(['a'], { client: 'silent' });
    expect(mergeKept({}, ours, answered(['b']), 'now')).toMatchObject(answered([], { disputed: true }));
  });

  test('does not have a client asked again that failed to answer both', () => {
    const [ours, theirs] = [
      { ...since, client: 'silent', change: 'one' },
      { ...since, client: 'refused', change: 'two' },
    ] as const;
    expect(mergeKept(since, ours, theirs, 'now').outdated).toBeUndefined();
    expect(mergeKept(since, { ...ours, outdated: true }, theirs, 'now').outdated).toBe(true);
  });

  test('asks again where one heard of a change and the other has an answer', () => {
    const ours = { ...since, change: 'heard', outdated: true };
    const merged = mergeKept(since, ours, answered(['a']), 'now');
    expect(merged).toMatchObject({ ...answered(['a']), outdated: true });
  });
});

/** One process that serves a session: it asks, hears, grants, and saves when nobody else has saved meanwhile. */
class Writer {
  since: KeptWorkspace = {};
  ours: KeptWorkspace = {};
  /** What the client answers, and whether it said since then that it changed. */
  question: { readonly roots: readonly string[]; isOld: boolean } | undefined;
  lastAnswer: readonly string[] | undefined;

  hear(change: string): void {
    this.ours = { ...this.ours, change, outdated: true };
    if (this.question !== undefined) this.question.isOld = true;
  }

  answer(): void {
    if (this.question === undefined) return;
    this.lastAnswer = this.question.roots;
    const { roots: _, disputed: __, ...before } = this.#close(this.question.isOld);
    this.ours = { ...before, ...answered(this.lastAnswer) };
  }

  fail(): void {
    if (this.question !== undefined) this.ours = { ...this.#close(this.question.isOld), client: 'silent' };
  }

  #close(isOld: boolean): KeptWorkspace {
    this.question = undefined;
    const { outdated, ...before } = this.ours;
    return { ...before, ...(isOld && outdated && { outdated }) };
  }

  /** Also drops a question whose answer could be older than what is taken over, as a workspace does. */
  save(stored: KeptWorkspace, change: string): KeptWorkspace {
    const merged = mergeKept(this.since, this.ours, stored, change);
    if (!isSameAnswer(merged, this.ours)) this.question = undefined;
    this.ours = merged;
    this.since = merged;
    return merged;
  }
}

const ACTS = ['change', 'ask', 'answer', 'save', 'save'] as const;

const stepsOf = <Act extends string>(acts: readonly Act[]) =>
  fc.array(
    fc.record({
      writer: fc.nat(2),
      act: fc.constantFrom(...acts),
      roots: fc.subarray(['a', 'b', 'c', 'd']),
    }),
    { maxLength: 30 },
  );

interface Step {
  readonly writer: number;
  readonly act: (typeof ACTS)[number] | 'fail';
  readonly roots: readonly string[];
}

/** Lets three processes hear and save in this order, and then save until all of them know the same. */
function play(acts: readonly Step[]) {
  const writers = [new Writer(), new Writer(), new Writer()];
  let stored: KeptWorkspace = {};
  let roots: readonly string[] = ['a', 'b', 'c', 'd'];
  acts.forEach(({ writer: index, act, roots: next }, turn) => {
    const writer = writers[index]!;
    if (act === 'change') {
      roots = next;
      writer.hear(`change ${turn}`);
      // The client gets its answer when all others can know.
      stored = writer.save(stored, `merged ${turn}`);
    } else if (act === 'ask') writer.question = { roots, isOld: false };
    else if (act === 'answer') writer.answer();
    else if (act === 'fail') writer.fail();
    else stored = writer.save(stored, `merged ${turn}`);
  });
  writers.forEach((writer, index) => {
    stored = writer.save(stored, `last ${index}`);
  });
  for (const writer of writers) {
    writer.save(stored, 'never');
    expect(isSameAnswer(writer.ours, stored)).toBe(true);
  }
  return {
    stored,
    roots,
    lastAnswers: writers.flatMap(({ lastAnswer }) => (lastAnswer === undefined ? [] : [lastAnswer])),
  };
}

test('whatever the order of what processes hear and save, none serves a root that the client took back without asking again', () => {
  fc.assert(
    fc.property(stepsOf(ACTS), (acts) => {
      const { stored, roots } = play(acts);
      if (stored.outdated === true || stored.client === undefined) return;
      expect(roots).toEqual(expect.arrayContaining([...namesOf(stored)]));
    }),
    { numRuns: 20_000 },
  );
});

test('whatever the order of answers, failures, announcements and saves, each root is in a last answer, and none of them is replaced', () => {
  fc.assert(
    fc.property(stepsOf([...ACTS, 'fail']), (acts) => {
      const { stored, lastAnswers } = play(acts);
      const known = lastAnswers.flat();
      expect(known).toEqual(expect.arrayContaining([...namesOf(stored)]));
      // Other sources take over only where the client itself said that it has none, or never answered.
      if (namesOf(stored).length > 0 || stored.disputed === true) return;
      expect(lastAnswers.length === 0 || lastAnswers.some((answer) => answer.length === 0)).toBe(true);
    }),
    { numRuns: 20_000 },
  );
});
