import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { formatResults } from '../bench/dist/results.js';
import { StdioServer } from '../bench/dist/stdio-server.js';
import { PROGRAM } from './server/fixtures/rootward.js';

test('formatResults() keeps the day, the machine and every section of a run', () => {
  const page = formatResults({
    takenOn: new Date('2026-11-15T23:59:59Z'),
    machine: 'Node v20.20.2, Linux 6.18, 2 × processor, 24 GiB',
    sections: [
      { title: 'First', peer: 'peer 1.0', rows: [{ what: 'read', unit: 'µs', ours: 2, peer: 8, goal: 0.5 }] },
      { title: 'Second', rows: [{ what: 'heap', unit: 'KB', ours: 5, goal: 4 }] },
    ],
  });
  expect(page).toContain('on 2026-11-15.');
  expect(page).toContain('Node v20.20.2, Linux 6.18, 2 × processor, 24 GiB.');
  expect(page).toMatch(
    /## First\n\n.*\n.*\n\| read +\| 2\.00 µs \| 8\.00 µs \(peer 1\.0\) \| 0\.25× \| ≤ 0\.5× \| met/,
  );
  expect(page).toMatch(/## Second\n\n.*\n.*\n\| heap .* MISSED/);
});

test('StdioServer.call() takes no refusal for a measurement', async () => {
  const server = new StdioServer([PROGRAM, tmpdir()]);
  await server.initialize();
  await expect(server.call('read_text_file', { path: '/etc/passwd' })).rejects.toThrow('outside the roots');
  await expect(server.call('no_such_tool', {})).rejects.toThrow('Cannot measure no_such_tool');
  await server.close();
});
