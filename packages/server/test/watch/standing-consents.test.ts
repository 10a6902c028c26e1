import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DoorKey } from '../../src/watch/door-key.js';
import { StandingConsents } from '../../src/watch/standing-consents.js';
import { WaitingQuestions } from '../../src/watch/waiting-questions.js';

const QUESTION = { message: 'Allow reading files in "/work"?', path: '/work', principal: '' };
const never = new AbortController().signal;

function start() {
  const top = mkdtempSync(join(tmpdir(), 'rootward-consents-'));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const folder = join(top, 'state', 'consents');
  const door = join(top, 'door');
  DoorKey.make(door);
  const used: string[] = [];
  const open = () =>
    new WaitingQuestions({
      consents: new StandingConsents(folder, door),
      used: ({ message }) => void used.push(message),
    });
  return { top, folder, door, used, open };
}

/** Asks on a page, which says yes. */
async function allow(questions: WaitingQuestions, stands: boolean): Promise<string> {
  using page = questions.pageConnected();
  const answer = questions.ask(QUESTION, never);
  questions.answer(questions.list()[0]?.id ?? '', true, stands);
  expect(page).toBeDefined();
  return answer;
}

describe('StandingConsents', () => {
  test('a yes for the session is forgotten, one until revoked answers every later session', async () => {
    const { folder, used, open } = start();
    expect(await allow(open(), false)).toBe('accepted');
    expect(await open().ask(QUESTION, never)).toBe('unsupported');
    expect(await allow(open(), true)).toBe('accepted');
    const later = open();
    expect([later.canAsk, await later.ask(QUESTION, never), used]).toEqual([
      true,
      'accepted',
      [QUESTION.message],
    ]);
    const [consent] = later.standing();
    expect(consent).toMatchObject({ message: QUESTION.message, path: '/work' });
    expect(later.withdraw(consent?.id ?? '')).toBe(true);
    expect([later.canAsk, await open().ask(QUESTION, never)]).toEqual([false, 'unsupported']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    { path: '/work/other' },
    { message: 'Allow reading and changing files in "/work"?' },
    { principal: 'somebody else' },
  ])('is no yes to another question: %j', async (other) => {
    const { open } = start();
    await allow(open(), true);
    expect(await open().ask({ ...QUESTION, ...other }, never)).toBe('unsupported');
  });

  test('is for this user alone, and believes nothing that others could have put there', async () => {
    const { top, folder, open } = start();
    await allow(open(), true);
    const [name = ''] = readdirSync(folder);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    // A file under another name, a damaged one, and a link to one that counts.
    writeFileSync(join(folder, `${'0'.repeat(64)}.json`), JSON.stringify({ ...QUESTION, since: 1 }));
    writeFileSync(join(folder, `${'1'.repeat(64)}.json`), '{');
    symlinkSync(name, join(folder, `${'2'.repeat(64)}.json`));
    expect(open().standing()).toHaveLength(1);
    chmodSync(folder, 0o777);
    expect(await open().ask(QUESTION, never)).toBe('unsupported');
    rmSync(folder, { recursive: true });
    mkdirSync(join(top, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(top, 'elsewhere'), folder);
    await expect(allow(open(), true)).rejects.toThrow('Cannot keep the answer');
    expect(readdirSync(join(top, 'elsewhere'))).toEqual([]);
  });
});

test('an answer that was not signed with the key of the page does not count', async () => {
  const { folder, door, used, open } = start();
  await allow(open(), true);
  const [name = ''] = readdirSync(folder);
  const file = join(folder, name);
  const kept = readFileSync(file, 'utf8');
  const forged = JSON.stringify({ ...JSON.parse(kept), since: 1 });
  expect(open().standing()).toHaveLength(1);
  writeFileSync(file, forged);
  expect(open().standing()).toEqual([]);
  expect(await open().ask(QUESTION, never)).toBe('unsupported');
  writeFileSync(file, kept);
  expect(await open().ask(QUESTION, never)).toBe('accepted');
  expect(used).toHaveLength(1);
  writeFileSync(join(door, 'key'), 'x');
  expect(open().standing()).toEqual([]);
});
