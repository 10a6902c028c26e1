import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../conformance/run.mjs', import.meta.url));
const CANNOT_INSTALL = 3;

interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

async function run(part: string): Promise<Outcome> {
  const child = spawn(process.execPath, [script, part], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output };
}

let installed: Outcome;
beforeAll(async () => {
  installed = await run('install');
});

// At the same time, since the suite mostly waits for the servers. Only the installation must come first.
test.concurrent.for([
  ['own', 'a server with a workspace'],
  ['wrap', 'the same server behind rootward wrap'],
  ['skills', 'the guidance of rootward'],
] as const)(
  'the official conformance suite (%s) finds in %s what it is known to find',
  async ([part], { skip }) => {
    skip(installed.status === CANNOT_INSTALL, 'the suite comes from the registry, which is out of reach');
    expect(installed).toMatchObject({ status: 0 });
    const { status, output } = await run(part);
    expect(output).toContain('Conformance: as expected.');
    expect(status).toBe(0);
  },
);
