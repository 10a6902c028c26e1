import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../testing/eventually.js';
import { ProcessLink } from '../../src/page/process-link.js';
import { Door, newChallenge, signedWords } from '../../src/watch/admit-page.js';
import { DoorKey } from '../../src/watch/door-key.js';
import { openMark } from '../../src/watch/page-process.js';
import { PROTOCOL } from '../../src/watch/protocol.js';

const CHILD = fileURLToPath(new URL('fixtures/open-door.mjs', import.meta.url));
const isLinux = process.platform === 'linux';

interface Place {
  readonly socket: string;
  readonly folder: string;
  /** One for each connection so far: whether it was let in. */
  readonly admitted: boolean[];
}

async function open(children: readonly number[] = []): Promise<Place> {
  const top = mkdtempSync(join(tmpdir(), 'rootward-door-'));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const folder = join(top, 'door');
  DoorKey.make(folder);
  const door = new Door({ folder, children: () => children });
  const admitted: boolean[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    void door.admit(socket).then((isIn) => admitted.push(isIn));
  });
  server.listen(join(top, 's.sock'));
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { socket: join(top, 's.sock'), folder, admitted };
}

/** Everything that a socket says until it is closed, or a line that `answer` has no more to say to. */
async function talk(path: string, answer: (challenge: string) => string): Promise<readonly string[]> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  const said: string[] = [];
  for await (const line of createInterface({ input: socket })) {
    const message = JSON.parse(line) as { readonly type: string; readonly challenge?: string };
    said.push(message.type);
    if (message.type !== 'challenge') break;
    socket.write(answer(message.challenge ?? ''));
  }
  return said;
}

/** The right answer, for the process of this test. */
function proofFor(folder: string, challenge: string, pid = process.pid): string {
  const own = newChallenge();
  const proof = DoorKey.read(folder).sign(...signedWords('page', pid, [challenge, own]));
  return `${JSON.stringify({ challenge: own, proof, pid: process.pid })}\n`;
}

test('Door lets in a page that knows the key, and the page knows that it talks to a process of its user', async () => {
  const place = await open();
  const refusals: unknown[] = [];
  const link = new ProcessLink(place.socket, process.pid, place.folder, {
    onState: () => undefined,
    onEvents: () => undefined,
    onEnd: (reason) => refusals.push(reason),
  });
  await expect(link.request('ask', {})).rejects.toThrow('let this page in');
  await eventually(() => expect(place.admitted).toEqual([true]));
  link.close();
  await eventually(() => expect(refusals).toEqual([undefined]));
});

describe('Door refuses', () => {
  test.each<[string, (folder: string, challenge: string) => string]>([
    ['nothing but a line break', () => '\n'],
    ['what is no JSON', () => 'let me in\n'],
    ['a list', () => '[]\n'],
    ['more than a proof', () => `"${'x'.repeat(100_000)}`],
    [
      'a proof with another key',
      (_, challenge) => {
        const other = mkdtempSync(join(tmpdir(), 'rootward-other-key-'));
        onTestFinished(() => rmSync(other, { recursive: true }));
        DoorKey.make(join(other, 'door'));
        return proofFor(join(other, 'door'), challenge);
      },
    ],
    ['a proof for another process', (folder, challenge) => proofFor(folder, challenge, process.pid + 1)],
    ['a proof for another challenge', (folder) => proofFor(folder, newChallenge())],
    [
      'the answer of a process instead of a page',
      (folder, challenge) => {
        const own = newChallenge();
        const proof = DoorKey.read(folder).sign(...signedWords('process', process.pid, [challenge, own]));
        return `${JSON.stringify({ challenge: own, proof, pid: process.pid })}\n`;
      },
    ],
    ['a page request without a proof', () => '{"id":1,"method":"answer","params":{"accepted":true}}\n'],
  ])('%s', async (_, answer) => {
    const { socket, folder, admitted } = await open();
    expect(await talk(socket, (challenge) => answer(folder, challenge))).toEqual(['challenge', 'refused']);
    expect(admitted).toEqual([false]);
  });

  test('an answer that was right once', async () => {
    const { socket, folder, admitted } = await open();
    let heard = '';
    const right = (challenge: string): string => {
      onTestFinished(openMark(folder, challenge)[Symbol.dispose]);
      return (heard = proofFor(folder, challenge));
    };
    expect(await talk(socket, right)).toEqual(['challenge', 'welcome']);
    expect(await talk(socket, () => heard)).toEqual(['challenge', 'refused']);
    expect(admitted).toEqual([true, false]);
  });

  test('everybody while the key cannot be used', async () => {
    const { socket, folder, admitted } = await open();
    writeFileSync(join(folder, 'key'), 'garbage');
    expect(
      await talk(socket, (challenge) => `${JSON.stringify({ challenge, proof: '', pid: 1 })}\n`),
    ).toEqual(['challenge', 'refused']);
    expect(admitted).toEqual([false]);
  });

  test('connections that say nothing, above a number of them', async () => {
    const { socket } = await open();
    const silent = Array.from({ length: 16 }, () => connect(socket));
    onTestFinished(() => silent.forEach((each) => each.destroy()));
    await Promise.all(silent.map((each) => once(each, 'data')));
    expect(await talk(socket, () => '')).toEqual(['refused']);
    silent[0]?.destroy();
    await eventually(async () => expect(await talk(socket, () => '\n')).toEqual(['challenge', 'refused']));
  });
});

function childOf(place: Place, command: readonly string[], ...more: readonly string[]): Promise<string> {
  const args = [place.socket, String(process.pid), place.folder, String(PROTOCOL), ...more];
  const [program = '', ...rest] = [...command, process.execPath, CHILD, ...args];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.on('close', () => resolve(text.trim()));
  });
}

describe.runIf(isLinux)('Door refuses a child that has the key', () => {
  test('directly, below a shell, and in a session of its own', async () => {
    const place = await open();
    for (const command of [[], ['sh', '-c', '"$@"; true', 'sh'], ['setsid', '--wait']])
      expect(await childOf(place, command)).toBe('refused this process started it');
    expect(place.admitted).toEqual([false, false, false]);
  });

  test('and names another process, such as this one', async () => {
    const place = await open();
    for (const named of [process.pid, process.ppid, 1, 0, -1])
      expect(await childOf(place, [], String(named))).toMatch(
        /^refused it (is not the process|does not name)/,
      );
    expect(place.admitted).not.toContain(true);
  });

  test('from a sandbox with the socket and the key in reach', async ({ skip }) => {
    if (spawnSync('bwrap', ['--unshare-pid', '--ro-bind', '/', '/', 'true']).status !== 0)
      skip('bubblewrap does not work here');
    const place = await open();
    const command = ['bwrap', '--bind', '/', '/', '--dev', '/dev', '--unshare-pid', '--proc', '/proc'];
    expect(await childOf(place, command)).toMatch(/^refused it is not the process/);
    expect(place.admitted).toEqual([false]);
  });

  test('the twin: a process that this one has not started is let in', async () => {
    const place = await open();
    // Its parent is gone at once, so it is nobody's child here.
    expect(await childOf(place, ['setsid', '--fork'])).toBe('welcome');
    expect(place.admitted).toEqual([true]);
  });
});

test('ProcessLink shows nothing of a process that does not know the key', async () => {
  const { folder } = await open();
  const top = mkdtempSync(join(tmpdir(), 'rootward-fake-'));
  onTestFinished(() => rmSync(top, { recursive: true }));
  for (const [lines, reason] of [
    [[{ type: 'state', state: {} }], 'another protocol'],
    [[{ type: 'welcome', proof: 'x' }], 'another protocol'],
    [[{ type: 'challenge', protocol: PROTOCOL, challenge: '../../etc/passwd' }], 'another protocol'],
    [
      [
        { type: 'challenge', protocol: PROTOCOL, challenge: newChallenge() },
        { type: 'welcome', proof: 'x' },
        { type: 'state', state: {} },
      ],
      'does not prove',
    ],
    [[{ type: 'refused', reason: 'no' }], 'refuses this page: no'],
  ] as const) {
    const path = join(top, `${reason}.sock`);
    const fake = createServer((socket) => {
      socket.on('error', () => socket.destroy()).resume();
      socket.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    });
    fake.listen(path);
    await once(fake, 'listening');
    const shown: unknown[] = [];
    const ended = await new Promise<string | undefined>((onEnd) => {
      // oxlint-disable-next-line no-new -- it listens
      new ProcessLink(path, process.pid, folder, {
        onState: (state) => shown.push(state),
        onEvents: (events) => shown.push(events),
        onEnd,
      });
    });
    expect(ended).toContain(reason);
    expect(shown).toEqual([]);
    await new Promise((resolve) => fake.close(resolve));
  }
});

function folderFor(): string {
  const top = mkdtempSync(join(tmpdir(), 'rootward-key-'));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  return join(top, 'state', 'door');
}

describe('DoorKey', () => {
  test('is made once, for this user alone', () => {
    const folder = folderFor();
    const proof = DoorKey.make(folder).sign('a');
    expect(DoorKey.make(folder).verify(proof, 'a')).toBe(true);
    expect(DoorKey.read(folder).verify(proof, 'b')).toBe(false);
    expect(DoorKey.read(folder).verify(undefined, 'a')).toBe(false);
  });

  test.each<[string, (folder: string, file: string) => void]>([
    ['is missing', (_, file) => rmSync(file)],
    ['is empty', (_, file) => writeFileSync(file, '')],
    ['is garbage', (_, file) => writeFileSync(file, 'x'.repeat(1000))],
    ['is a folder', (_, file) => (rmSync(file), mkdirSync(file))],
    [
      'is a link',
      (folder, file) => {
        writeFileSync(join(folder, 'other'), readFileSync(file), { mode: 0o600 });
        rmSync(file);
        symlinkSync('other', file);
      },
    ],
    ['may be read by others', (_, file) => chmodSync(file, 0o644)],
    ['lies in a folder that others may enter', (folder) => chmodSync(folder, 0o755)],
  ])('is refused where the file %s', (_, change) => {
    const folder = folderFor();
    DoorKey.make(folder);
    change(folder, join(folder, 'key'));
    expect(() => DoorKey.read(folder)).toThrow(`Cannot use the key ${folder}`);
  });
});
