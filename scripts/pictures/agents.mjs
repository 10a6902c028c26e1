import { arrow, box, card, centred, picture, text } from './svg.mjs';

const AGENTS = [
  { name: 'main agent', tree: '/code/shop', note: 'main working tree', y: 74 },
  { name: 'sub-agent 1', tree: '…/worktrees/a', note: 'branch a', y: 154 },
  { name: 'sub-agent 2', tree: '…/worktrees/b', note: 'branch b', y: 234 },
];

export function drawAgents() {
  return picture({ width: 784, height: 420, title: 'Agents of one client, each in its own working tree' }, [
    text(24, 36, 'One connection, three agents, three working trees', 'title'),
    box(24, 54, 168, 256, 'plain'),
    text(36, 304, 'client', 'small quiet'),
    AGENTS.map(({ name, tree, note, y }) => [
      card(40, y, 136, 48, [[name]], 'main'),
      arrow(176, y + 24, 328, y + 24, 'main'),
      centred(252, y + 16, 'write a.ts', 'mono'),
      arrow(470, y + 24, 540, y + 24, 'good'),
      card(
        540,
        y - 4,
        216,
        56,
        [
          [`${tree}/a.ts`, 'mono'],
          [note, 'small quiet'],
        ],
        'good',
      ),
    ]),
    box(328, 54, 142, 256, ''),
    centred(399, 128, 'rootward', 'title'),
    centred(399, 168, 'the hook has said', 'small quiet'),
    centred(399, 186, 'where each call', 'small quiet'),
    centred(399, 204, 'comes from', 'small quiet'),
    centred(399, 226, 'bind_caller', 'mono'),
    box(24, 336, 732, 62, 'bad'),
    text(42, 362, 'Without the hook', 'title bad'),
    text(42, 384, 'A relative path is refused while other trees are in use, with what to pass instead.'),
    text(738, 362, 'ambiguous-tree', 'mono bad', 'end'),
  ]);
}
