import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import type { AuditRecord } from '../../src/audit/audit-trail.js';

const top = mkdtempSync(join(tmpdir(), 'rootward-audit-'));
afterAll(() => rmSync(top, { recursive: true }));
let count = 0;
const newFile = (): string => join(top, `${count++}.jsonl`);
const RECORD: AuditRecord = { session: 's', tool: 'read_text_file', path: '/a', decision: 'allowed' };
const now = (): Date => new Date(0);

function lines(file: string): readonly unknown[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

test('AuditTrail writes one JSON line per decision, at once', () => {
  const file = newFile();
  using trail = new AuditTrail({ file, now });
  trail.record(RECORD);
  trail.record({ ...RECORD, path: 'b\nc', decision: 'refused', reason: 'outside-roots' });
  const time = '1970-01-01T00:00:00.000Z';
  expect(lines(file)).toEqual([
    { time, ...RECORD },
    { time, ...RECORD, path: 'b\nc', decision: 'refused', reason: 'outside-roots' },
  ]);
});

test('AuditTrail is for the eyes of its owner', () => {
  const file = newFile();
  new AuditTrail({ file }).dispose();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('AuditTrail goes on with a file that is there', () => {
  const file = newFile();
  for (let run = 0; run < 2; run++) {
    using trail = new AuditTrail({ file });
    trail.record(RECORD);
  }
  expect(lines(file)).toHaveLength(2);
});

test('AuditTrail puts a full file aside and keeps one before it', () => {
  const file = newFile();
  using trail = new AuditTrail({ file, now, maxBytes: 250 });
  for (let path = 0; path < 7; path++) trail.record({ ...RECORD, path: String(path) });
  expect(statSync(file).size).toBeLessThanOrEqual(250);
  expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(250);
  expect(lines(file).at(-1)).toMatchObject({ path: '6' });
});

test('AuditTrail cuts a path that is too long for any disk', () => {
  const file = newFile();
  using trail = new AuditTrail({ file });
  trail.record({ ...RECORD, path: 'x'.repeat(100_000) });
  expect(statSync(file).size).toBeLessThan(5000);
});

test('AuditTrail does not follow a link, and names the file it cannot write', () => {
  const file = newFile();
  writeFileSync(join(top, 'target'), '');
  symlinkSync(join(top, 'target'), file);
  expect(() => new AuditTrail({ file })).toThrow(`Cannot write the audit file ${file}: it is a link`);
  expect(() => new AuditTrail({ file: join(top, 'no', 'such') })).toThrow('its folder does not exist');
  expect(() => new AuditTrail({ file: top })).toThrow(`Cannot write the audit file ${top}: it is a folder`);
});

test('AuditTrail reports a failure once and goes on', () => {
  const file = newFile();
  const failures: unknown[] = [];
  using trail = new AuditTrail({ file, maxBytes: 100, onFailure: (error) => void failures.push(error) });
  // Nothing can take its place.
  mkdirSync(join(`${file}.1`, 'x'), { recursive: true });
  for (let call = 0; call < 4; call++) trail.record(RECORD);
  expect(failures).toHaveLength(1);
  expect(lines(file)).toHaveLength(4);
});

test('AuditTrail starts a new file where somebody has taken the full one away', () => {
  const file = newFile();
  using trail = new AuditTrail({ file, maxBytes: 100 });
  trail.record(RECORD);
  rmSync(file);
  trail.record({ ...RECORD, path: '/b' });
  expect(lines(file)).toMatchObject([{ path: '/b' }]);
});

test('AuditTrails of several servers share a file, and none puts aside what another has just begun', () => {
  const file = newFile();
  using one = new AuditTrail({ file, now, maxBytes: 250 });
  using two = new AuditTrail({ file, now, maxBytes: 250 });
  for (let path = 0; path < 4; path++) {
    (path % 2 === 0 ? one : two).record({ ...RECORD, path: String(path) });
  }
  const paths = [`${file}.1`, file].flatMap((each) =>
    lines(each).map((line) => (line as { path: string }).path),
  );
  expect(paths).toEqual(['0', '1', '2', '3']);
  expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(250);
});
