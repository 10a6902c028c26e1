import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { initialAsking, mustWait, wakeAt, type Asking } from '../../../src/workspace/asking/asking-state.js';
import { step, type AskingEffect, type AskingEvent } from '../../../src/workspace/asking/asking.js';
import { defaultLimits } from '../../../src/workspace/limits.js';

/** `npm run soak` raises it. */
const RUNS = Number(process.env['ROOTWARD_INTERLEAVINGS'] ?? 20_000);

/** A client and a disk that answer late, in any order, or never; the machine in between; and time. */
class Simulation {
  now = 0;
  state: Asking = initialAsking;
  /** What the client would answer now. It announces every change of it. */
  version = 0;
  appliedVersion = -1;
  appliedGenerations: number[] = [];
  requests = 0;
  readonly answers: { generation: number; version: number }[] = [];
  readonly readings: { generation: number; version: number }[] = [];
  waitingSince: number[] = [];
  longestWait = 0;

  send(event: AskingEvent): void {
    const before = this.state;
    const { state, effects } = step(before, event, { now: this.now, port: true, limits: defaultLimits });
    this.state = state;
    for (const effect of effects) this.perform(effect);
    if (event.type === 'wanted' && mustWait(state, true)) this.waitingSince.push(this.now);
    if (!mustWait(this.state, true)) this.release();
  }

  release(): void {
    for (const since of this.waitingSince) this.longestWait = Math.max(this.longestWait, this.now - since);
    this.waitingSince = [];
  }

  perform(effect: AskingEffect): void {
    if (effect.type === 'ask') {
      this.requests += 1;
      this.answers.push({ generation: effect.generation, version: this.version });
    } else if (effect.type === 'read') {
      this.readings.push({ generation: effect.generation, version: Number(effect.entries[0]) });
    } else if (effect.type === 'apply') {
      const reading = this.readings.findLast(({ generation }) => generation === effect.generation)!;
      this.appliedGenerations.push(effect.generation);
      this.appliedVersion = reading.version;
    } else if (effect.type === 'release') {
      this.release();
    }
  }

  change(): void {
    this.version += 1;
    this.send({ type: 'notified' });
  }

  deliver(index: number, kind: 'list' | 'refused' | 'malformed' | 'lost'): void {
    const [answer] = this.answers.splice(index % Math.max(1, this.answers.length), 1);
    if (answer === undefined) return;
    const outcome = {
      list: { kind: 'list', entries: [answer.version] },
      refused: { kind: 'refused', code: -32603 },
      malformed: { kind: 'malformed', detail: '' },
      lost: { kind: 'lost', detail: '' },
    } as const;
    this.send({ type: 'answered', generation: answer.generation, outcome: outcome[kind] });
  }

  finishReading(index: number): void {
    const reading = this.readings[index % Math.max(1, this.readings.length)];
    if (reading !== undefined) this.send({ type: 'read', generation: reading.generation, empty: false });
  }

  /** Time passes, with a wake-up whenever the machine asks for one. */
  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (let ticks = 0; ; ticks += 1) {
      const at = wakeAt(this.state, true, defaultLimits);
      if (at === undefined || at > end) break;
      if (ticks > 1_000) throw new Error(`wakes up again and again at ${at}`);
      this.now = Math.max(this.now, at);
      this.send({ type: 'tick' });
    }
    this.now = end;
  }

  /** From here on everything is answered promptly, newest first. */
  comeToRest(): void {
    for (let turn = 0; turn < 20; turn += 1) {
      while (this.answers.length > 0) {
        this.deliver(this.answers.length - 1, 'list');
        this.finishReading(this.readings.length - 1);
      }
      this.pass(150);
    }
  }
}

type Action = readonly [name: string, index: number];

const actions = fc.array(
  fc.tuple(
    fc.constantFrom(
      'change',
      'change',
      'answer',
      'answer',
      'read',
      'read',
      'wanted',
      'refuse',
      'malformed',
      'lost',
      'pass a little',
      'pass',
      'invalidate',
    ),
    fc.nat(8),
  ),
  { maxLength: 24 },
);

function run(simulation: Simulation, [name, index]: Action): void {
  switch (name) {
    case 'change':
      return simulation.change();
    case 'answer':
      return simulation.deliver(index, 'list');
    case 'refuse':
      return simulation.deliver(index, 'refused');
    case 'malformed':
      return simulation.deliver(index, 'malformed');
    case 'lost':
      return simulation.deliver(index, 'lost');
    case 'read':
      return simulation.finishReading(index);
    case 'wanted':
      return simulation.send({ type: 'wanted' });
    case 'invalidate':
      return simulation.send({ type: 'invalidated' });
    case 'pass a little':
      return simulation.pass(index * 20);
    default:
      return simulation.pass(index * 1_500);
  }
}

function started(): Simulation {
  const simulation = new Simulation();
  simulation.send({ type: 'declared', roots: true });
  simulation.send({ type: 'initialised' });
  return simulation;
}

test(`in ${RUNS} random interleavings an older generation never wins and no call waits longer than readyTimeout`, () => {
  fc.assert(
    fc.property(actions, (list) => {
      const simulation = started();
      for (const action of list) {
        run(simulation, action);
      }
      simulation.pass(defaultLimits.readyTimeout);
      const { appliedGenerations, waitingSince, longestWait, state } = simulation;
      const ascending = appliedGenerations.toSorted((a, b) => a - b);
      expect(appliedGenerations).toEqual([...new Set(ascending)]);
      expect(appliedGenerations.at(-1) ?? 0).toBeLessThanOrEqual(state.generation);
      expect(waitingSince).toEqual([]);
      expect(longestWait).toBeLessThanOrEqual(defaultLimits.readyTimeout);
    }),
    { numRuns: RUNS },
  );
});

test(`in ${RUNS} random interleavings that end with a change the final state is the last list of the client`, () => {
  fc.assert(
    fc.property(actions, (list) => {
      const simulation = started();
      for (const action of list) run(simulation, action);
      simulation.change();
      simulation.comeToRest();
      expect(simulation.appliedVersion).toBe(simulation.version);
      expect(mustWait(simulation.state, true)).toBe(false);
    }),
    { numRuns: RUNS },
  );
});

test(`in ${RUNS} random interleavings the first call after an invalidation leads to a request sent after it`, () => {
  fc.assert(
    fc.property(actions, actions, (before, between) => {
      const simulation = started();
      for (const action of before) run(simulation, action);
      simulation.send({ type: 'invalidated' });
      const { requests } = simulation;
      for (const action of between) if (action[0] !== 'wanted') run(simulation, action);
      simulation.send({ type: 'wanted' });
      simulation.comeToRest();
      expect(simulation.requests).toBeGreaterThan(requests);
      expect(mustWait(simulation.state, true)).toBe(false);
    }),
    { numRuns: RUNS },
  );
});

test('requests caused by notifications are at least 100 ms apart, in any interleaving', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(40), fc.boolean()), { minLength: 1, maxLength: 60 }), (beats) => {
      const simulation = started();
      simulation.deliver(0, 'list');
      simulation.finishReading(0);
      for (const [pause, answers] of beats) {
        simulation.pass(pause);
        simulation.change();
        if (!answers) continue;
        simulation.deliver(simulation.answers.length - 1, 'list');
        simulation.finishReading(simulation.readings.length - 1);
      }
      const { requests, now } = simulation;
      expect(requests - 1).toBeLessThanOrEqual(Math.floor(now / defaultLimits.spacing) + 1);
    }),
    { numRuns: 2_000 },
  );
});

test('a tick without anything due changes nothing', () => {
  const simulation = started();
  const before = simulation.state;
  simulation.send({ type: 'tick' });
  expect(simulation.state).toEqual(before);
});
