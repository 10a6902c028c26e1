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
    expect(merged).toEqual(answered(['c'], { change: 'now', outdated: true }));
    const apart = mergeKept(since, answered(['a']), answered(['b']), 'now');
    expect(apart).toEqual(answered([], { change: 'now', outdated: true }));
  });

  test('asks again where one heard of a change and the other has an answer', () => {
    const ours = { ...since, change: 'heard', outdated: true };
    const merged = mergeKept(since, ours, answered(['a']), 'now');
    expect(merged).toMatchObject({ ...answered(['a']), outdated: true });
  });

  test('does not take a refusal for an empty answer, which would leave more', () => {
    const merged = mergeKept({}, { client: 'empty' }, { client: 'refused' }, 'now');
    expect(merged).toEqual({ client: 'refused', change: 'now', outdated: true });
  });
});

/** One process that serves a session: it asks, hears, grants, and saves when nobody else has saved meanwhile. */
class Writer {
  since: KeptWorkspace = {};
  ours: KeptWorkspace = {};
  /** What the client answers, and whether it said since then that it changed. */
  question: { readonly roots: readonly string[]; isOld: boolean } | undefined;

  hear(change: string): void {
    this.ours = { ...this.ours, change, outdated: true };
    if (this.question !== undefined) this.question.isOld = true;
  }

  answer(): void {
    if (this.question === undefined) return;
    const { roots, isOld } = this.question;
    const { outdated, ...before } = this.ours;
    this.question = undefined;
    this.ours = { ...before, ...answered(roots), ...(isOld && outdated && { outdated }) };
    if (roots.length === 0) delete (this.ours as { roots?: unknown }).roots;
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

const steps = fc.array(
  fc.record({
    writer: fc.nat(2),
    act: fc.constantFrom('change', 'ask', 'answer', 'save', 'save'),
    roots: fc.subarray(['a', 'b', 'c', 'd']),
  }),
  { maxLength: 30 },
);

test('whatever the order of what processes hear and save, none serves a root that the client took back without asking again', () => {
  fc.assert(
    fc.property(steps, (acts) => {
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
        else stored = writer.save(stored, `merged ${turn}`);
      });
      writers.forEach((writer, index) => {
        stored = writer.save(stored, `last ${index}`);
      });
      for (const writer of writers) {
        writer.save(stored, 'never');
        expect(isSameAnswer(writer.ours, stored)).toBe(true);
      }
      if (stored.outdated === true || stored.client === undefined) return;
      expect(roots).toEqual(expect.arrayContaining([...namesOf(stored)]));
    }),
    { numRuns: 20_000 },
  );
});
