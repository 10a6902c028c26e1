import { chmodSync, mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Survey, undoChanges, type SurveyLimits } from '@rootward/core/history';
import { Scope } from '@rootward/core';
import { changesOf, photograph, rootAt, setUp } from './fixtures/disk.js';

async function watched(program: (work: string) => void, limits: Partial<SurveyLimits> = {}) {
  const place = setUp();
  const { work, history, scope, roots } = place;
  mkdirSync(join(work, 'folder/deep'), { recursive: true });
  writeFileSync(join(work, 'changed.txt'), 'before');
  writeFileSync(join(work, 'same-size.txt'), 'aaaa');
  writeFileSync(join(work, 'tool.sh'), '#!/bin/sh');
  writeFileSync(join(work, 'folder/deep/removed.bin'), Buffer.from([0, 255, 1]));
  symlinkSync('changed.txt', join(work, 'link'));
  writeFileSync(join(work, '.gitignore'), 'ignored');
  const before = photograph(work);
  const survey = await Survey.begin(history, scope, { limits });
  program(work);
  const recorder = history.change({ tool: 'program' }, roots);
  await survey.end(recorder);
  recorder.finish();
  return { ...place, before, id: recorder.id };
}

test('Survey keeps what a program changes, and it can be taken back', async () => {
  const place = await watched((work) => {
    writeFileSync(join(work, 'changed.txt'), 'after, and longer');
    writeFileSync(join(work, 'same-size.txt'), 'bbbb');
    chmodSync(join(work, 'tool.sh'), 0o755);
    rmSync(join(work, 'folder'), { recursive: true });
    unlinkSync(join(work, 'link'));
    symlinkSync('elsewhere', join(work, 'link'));
    mkdirSync(join(work, 'new/er'), { recursive: true });
    writeFileSync(join(work, 'new/er/file'), 'new');
  });
  const [change] = await changesOf(place);
  expect(change).toMatchObject({ id: place.id, tool: 'program', complete: true });
  expect(change?.notes).toEqual([expect.stringContaining('.gitignore')]);
  await undoChanges(place.history, place.scope, [change!], { about: { tool: 'undo' } });
  expect(photograph(place.work)).toEqual(place.before);
});

test('Survey notes nothing where nothing differs', async () => {
  const place = await watched((work) => writeFileSync(join(work, 'changed.txt'), 'before'));
  expect(place.id).toBeUndefined();
  expect(await changesOf(place)).toEqual([]);
});

test('Survey says what it could not keep', async () => {
  const place = await watched((work) => writeFileSync(join(work, 'changed.txt'), 'after'), { maxBytes: 4 });
  const [change] = await changesOf(place);
  expect(change?.notes.join('\n')).toMatch(
    /files were not kept before it ran\n1 of the changed files cannot/,
  );
  await expect(
    undoChanges(place.history, place.scope, [change!], { about: { tool: 'undo' } }),
  ).rejects.toMatchObject({ code: 'not-kept' });
});

test('Survey does not call new what it may have missed', async () => {
  const place = await watched((work) => writeFileSync(join(work, 'new'), ''), { maxFiles: 2 });
  expect(await changesOf(place)).toEqual([]);
});

test('Survey keeps nothing of a denied file, nor of a read-only root', async () => {
  const place = setUp();
  mkdirSync(join(place.work, 'fixed'), { recursive: true });
  writeFileSync(join(place.work, 'secret.env'), 'TOKEN');
  writeFileSync(join(place.work, 'fixed/a'), 'a');
  const roots = [rootAt(place.work), rootAt(join(place.work, 'fixed'), { access: 'read-only' })];
  const scope = new Scope({ roots, rules: { deny: ['*.env'] } });
  const survey = await Survey.begin(place.history, scope);
  writeFileSync(join(place.work, 'secret.env'), 'OTHER');
  const recorder = place.history.change({ tool: 'program' }, roots);
  await survey.end(recorder);
  expect(recorder.id).toBeUndefined();
});
