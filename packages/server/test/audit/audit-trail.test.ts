import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { AuditTrail, type AuditRecord } from '../../src/audit/audit-trail.js';

vi.mock('node:fs', { spy: true });

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
  using trail = new AuditTrail({ file, onFailure: (error) => void failures.push(error) });
  trail.record(RECORD);
  rmSync(file);
  mkdirSync(file);
  for (let call = 0; call < 3; call++) trail.record(RECORD);
  expect(failures).toHaveLength(1);
  rmdirSync(file);
  trail.record({ ...RECORD, path: 'after' });
  expect(lines(file)).toMatchObject([{ path: 'after' }]);
});

test('AuditTrail writes on where a full file cannot be put aside, and says so', () => {
  const file = newFile();
  mkdirSync(join(`${file}.1`, 'in-the-way'), { recursive: true });
  const failures: unknown[] = [];
  using trail = new AuditTrail({ file, maxBytes: 250, onFailure: (error) => void failures.push(error) });
  for (let path = 0; path < 10; path++) trail.record({ ...RECORD, path: String(path) });
  expect(lines(file)).toHaveLength(10);
  expect(failures).toHaveLength(1);
});

test('AuditTrail loses no line of the last two files when several share one', () => {
  const file = newFile();
  const trails = [1, 2, 3].map(() => new AuditTrail({ file, now, maxBytes: 1000 }));
  for (let path = 0; path < 50; path++) trails[path % 3]!.record({ ...RECORD, path: String(path) });
  const paths = [...lines(`${file}.1`), ...lines(file)].map((line) =>
    Number(Reflect.get(line as object, 'path')),
  );
  expect(paths.at(-1)).toBe(49);
  expect(paths).toEqual(paths.map((_, index) => 50 - paths.length + index));
  for (const each of [file, `${file}.1`]) expect(statSync(each).size).toBeLessThanOrEqual(1000);
  for (const trail of trails) trail.dispose();
});

test('AuditTrail ends a line that a full disk cut off before it writes the next one', () => {
  const file = newFile();
  const failures: unknown[] = [];
  using trail = new AuditTrail({ file, now, onFailure: (error) => failures.push(error) });
  trail.record(RECORD);
  const half = '{"time":';
  const full = new Error('ENOSPC: no space left on device, write');
  vi.mocked(writeSync)
    .mockImplementationOnce(() => {
      appendFileSync(file, half);
      return half.length;
    })
    .mockImplementationOnce(() => {
      throw full;
    });
  trail.record({ ...RECORD, path: '/lost' });
  trail.record(RECORD);
  trail.record(RECORD);
  const [first, second, ...rest] = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(second).toBe(half);
  expect(rest).toEqual([first, first]);
  expect(failures).toEqual([full]);
});

test.each(['before it starts', 'while it runs'])(
  'AuditTrail ends a line that another server left cut off %s',
  (when) => {
    const file = newFile();
    const half = '{"time":';
    if (when === 'before it starts') writeFileSync(file, half);
    using trail = new AuditTrail({ file, now });
    if (when === 'while it runs') {
      trail.record(RECORD);
      appendFileSync(file, half);
    }
    trail.record(RECORD);
    trail.record(RECORD);
    const written = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(written.filter((line) => line === half)).toHaveLength(1);
    expect(written.filter((line) => line !== half)).toEqual(
      Array(when === 'while it runs' ? 3 : 2).fill(written.at(-1)),
    );
    expect(JSON.parse(written.at(-1) ?? '')).toMatchObject(RECORD);
  },
);
