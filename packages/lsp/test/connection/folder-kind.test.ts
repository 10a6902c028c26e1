import { expect, test } from 'vitest';
import { decideKind } from '../../src/connection/folder-kind.js';
import { sectionOf } from '../../src/connection/serve-client-side.js';

const folders = (workspaceFolders: object) => ({ workspace: { workspaceFolders } });

test.each([
  [undefined, {}, false, 'per-root'],
  [undefined, folders({ supported: true }), false, 'per-root'],
  [undefined, folders({ supported: true, changeNotifications: false }), false, 'per-root'],
  [undefined, folders({ supported: true, changeNotifications: '' }), false, 'per-root'],
  [undefined, folders({ supported: true, changeNotifications: true }), false, 'shared'],
  [undefined, folders({ changeNotifications: true }), false, 'shared'],
  [undefined, folders({ changeNotifications: 'id' }), false, 'shared'],
  [undefined, {}, true, 'shared'],
  ['file-driven', folders({ supported: true, changeNotifications: true }), true, 'file-driven'],
  ['shared', {}, false, 'shared'],
] as const)('decideKind(%j, %j, %j) is %s', (measured, capabilities, registered, kind) => {
  expect(decideKind(measured, capabilities, registered)).toBe(kind);
});

test('sectionOf() finds nested settings, and null where nothing is set', () => {
  const settings = { python: { analysis: { mode: 'off' } } };
  expect(sectionOf(settings, 'python.analysis')).toEqual({ mode: 'off' });
  expect(sectionOf(settings, 'python.analysis.mode')).toBe('off');
  expect(sectionOf(settings, 'python.other')).toBeNull();
  expect(sectionOf(settings, 'constructor.name')).toBeNull();
  expect(sectionOf(settings, undefined)).toBe(settings);
});
