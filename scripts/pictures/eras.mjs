import { arrow, box, card, centred, line, picture, text } from './svg.mjs';

/** Messages from the top down: [who sends it, what, a remark]. */
const LEGACY = [
  ['client', 'initialize', 'once per connection'],
  ['server', 'roots/list', 'the server asks'],
  ['client', 'roots: [ shop ]', 'the server remembers them'],
  ['client', 'tools/call', ''],
  ['server', 'result', ''],
  ['client', 'roots/list_changed', 'the client tells of changes'],
];
const MODERN = [
  ['client', 'tools/call', 'names its capabilities'],
  ['server', 'input_required: roots/list', 'an answer, not a request'],
  ['client', 'tools/call + roots: [ shop ]', 'the same call again'],
  ['server', 'result', 'nothing is remembered'],
];
const STEP = 46;
const TOP = 150;

function sequence(left, title, revisions, messages) {
  const [client, server] = [left + 56, left + 304];
  const end = TOP + LEGACY.length * STEP - 6;
  return [
    box(left, 54, 360, end - 42, 'plain'),
    text(left + 16, 80, title, 'title'),
    text(left + 344, 80, revisions, 'small quiet', 'end'),
    card(client - 42, 94, 84, 30, [['client']], 'main'),
    card(server - 42, 94, 84, 30, [['server']], 'good'),
    line(client, 124, client, end, { dashed: true }),
    line(server, 124, server, end, { dashed: true }),
    messages.map(([from, words, remark], index) => {
      const y = TOP + index * STEP + 12;
      const toServer = from === 'client';
      return [
        centred((client + server) / 2, y - 7, words, 'mono'),
        toServer ? arrow(client + 3, y, server - 3, y, 'main') : arrow(server - 3, y, client + 3, y, 'good'),
        remark === '' ? '' : centred((client + server) / 2, y + 15, remark, 'small quiet'),
      ];
    }),
  ];
}

export function drawEras() {
  const height = TOP + LEGACY.length * STEP + 50;
  return picture(
    { width: 784, height, title: 'How a server learns the folders, in each era of the protocol' },
    [
      text(24, 36, 'How a server learns the folders', 'title'),
      sequence(24, 'legacy', '2024-11-05 to 2025-11-25', LEGACY),
      sequence(400, 'modern', '2026-07-28', MODERN),
      centred(
        392,
        height - 22,
        'The handler of a tool is the same in both: it asks its context for the workspace.',
        'quiet',
      ),
    ],
  );
}
