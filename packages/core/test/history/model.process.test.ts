import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RootwardError, Scope } from '@rootward/core';
import { History, undoChanges, type Change } from '@rootward/core/history';
import { rootAt, temporaryFolder } from './fixtures/disk.js';
import {
  act,
  grow,
  grownTree,
  operationOf,
  pictureOf,
  type Act,
  type Operation,
} from '../../../../testing/history-model.js';

const KILLED = fileURLToPath(new URL('killed.mjs', import.meta.url));
/** The long version is `npm run soak -- history`. */
const RUNS = Number(process.env['ROOTWARD_MODEL_RUNS'] ?? 100);

/** Acts of one call, of two calls at once, or of a process that is killed at its n-th step on the disk. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      acts: fc.array(act, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('at once' as const), acts: fc.tuple(act, act) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('killed' as const),
      acts: fc.array(act, { minLength: 1, maxLength: 3 }),
      after: fc.nat(40),
    }),
  },
);
const sequence = fc.record({
  tree: grownTree,
  steps: fc.array(step, { minLength: 1, maxLength: 10 }),
  mark: fc.nat(10),
  chosen: fc.nat(1000),
});

/** Why changes are not taken back without those that came later. */
const REFUSALS: ReadonlySet<string> = new Set([
  'changed-since',
  'already-exists',
  'not-found',
  'not-a-directory',
]);

class Place {
  readonly work: string;
  readonly directory: string;
  readonly #sessions = new Map<number, History>();
  readonly scope: Scope;

  constructor(top: string) {
    this.work = join(top, 'work');
    this.directory = join(top, 'state', 'rootward', 'history');
    mkdirSync(this.work, { recursive: true });
    this.scope = new Scope({ roots: [rootAt(this.work)] });
  }

  history(session: number): History {
    const known = this.#sessions.get(session) ?? new History({ directory: this.directory });
    this.#sessions.set(session, known);
    return known;
  }

  async call(acts: readonly Act[]): Promise<void> {
    const session = acts[0]!.session;
    const recorder = this.history(session).change(
      { tool: 'test', session: String(session) },
      this.scope.roots,
    );
    const recorded = this.scope.recordedBy(recorder);
    for (const each of acts) {
      await attempt(async () => {
        const operation = operationOf(this.work, each);
        if (operation !== undefined) await perform(recorded, operation);
      });
    }
    recorder.finish();
  }

  async killed(acts: readonly Act[], after: number): Promise<void> {
    const root = rootAt(this.work);
    const operations = acts.flatMap((each) => operationOf(this.work, each) ?? []);
    const session = String(acts[0]!.session);
    const child = fork(KILLED);
    child.send({ root, directory: this.directory, session, operations, after });
    await once(child, 'exit');
  }

  /** Newest first. */
  async changes(): Promise<readonly Change[]> {
    const found: Change[] = [];
    for await (const each of this.history(0).changes(this.scope.roots)) found.push(each);
    return found;
  }

  async undo(changes: readonly Change[]): Promise<Change | undefined> {
    const { id } = await undoChanges(this.history(0), this.scope, changes, { about: { tool: 'undo' } });
    return (await this.changes()).find((each) => each.id === id);
  }

  async dispose(): Promise<void> {
    for (const each of this.#sessions.values()) {
      await each.settled();
      each.dispose();
    }
  }
}

async function perform(scope: Scope, { method, args }: Operation): Promise<void> {
  if (method === 'update') {
    const [path, text] = args as [string, string];
    await scope.update(path, (reading) => text + reading.text);
  } else await (scope[method] as (...given: readonly unknown[]) => Promise<unknown>).call(scope, ...args);
}

/** Anything but a refusal is a mistake in the code. */
async function attempt(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof RootwardError) && !(error instanceof Error && 'code' in error)) throw error;
  }
}

/** Takes some changes back, which may be refused, and forth again: all is as before. */
async function backAndForth(place: Place, changes: readonly Change[]): Promise<void> {
  const before = pictureOf(place.work);
  let undo: Change | undefined;
  try {
    undo = await place.undo(changes);
  } catch (error) {
    if (!(error instanceof RootwardError) || !REFUSALS.has(error.code)) throw error;
  }
  if (undo !== undefined) await place.undo([undo]);
  expect(pictureOf(place.work)).toEqual(before);
}

test('whatever sessions do, and wherever they are killed, undo goes back and forth byte for byte', async () => {
  const top = temporaryFolder();
  let runs = 0;
  const play = fc.asyncProperty(sequence, async ({ tree, steps, mark, chosen }) => {
    const own = join(top, String(++runs));
    const place = new Place(own);
    grow(place.work, tree);
    const pictures = [pictureOf(place.work)];
    const counts = [0];
    for (const each of steps) {
      if (each.kind === 'call') await place.call(each.acts);
      else if (each.kind === 'at once') await Promise.all(each.acts.map((one) => place.call([one])));
      else await place.killed(each.acts, each.after);
      pictures.push(pictureOf(place.work));
      counts.push((await place.changes()).length);
    }
    const all = await place.changes();
    const last = pictures.at(-1);
    const middle = mark % pictures.length;
    // By id, and by session.
    if (all.length > 0) await backAndForth(place, [all[chosen % all.length]!]);
    for (const session of ['0', '1', '2']) {
      await backAndForth(
        place,
        all.filter((each) => each.session === session),
      );
    }
    expect(pictureOf(place.work)).toEqual(last);
    // To two marks in turn, then the undos the other way round.
    const newer = all.slice(0, all.length - counts[middle]!);
    const first = newer.length === 0 ? undefined : await place.undo(newer);
    expect(pictureOf(place.work)).toEqual(pictures[middle]);
    const older = all.slice(newer.length);
    const second = older.length === 0 ? undefined : await place.undo(older);
    expect(pictureOf(place.work)).toEqual(pictures[0]);
    if (second !== undefined) await place.undo([second]);
    expect(pictureOf(place.work)).toEqual(pictures[middle]);
    if (first !== undefined) await place.undo([first]);
    expect(pictureOf(place.work)).toEqual(last);
    // All there is, the undos and the attempts included.
    await place.undo(await place.changes());
    expect(pictureOf(place.work)).toEqual(pictures[0]);
    await place.dispose();
    rmSync(own, { recursive: true });
  });
  await fc.assert(play, { numRuns: RUNS });
});
