import { arrow, box, card, centred, picture, text } from './svg.mjs';

/** What is named on the left, the ceiling in the middle, what becomes of it on the right. */
const CASES = [
  {
    named: '/home/me/work/shop',
    why: 'inside the ceiling',
    becomes: '/home/me/work/shop',
    note: 'stays as it is',
    tone: 'good',
  },
  {
    named: '/home/me',
    why: 'contains the ceiling',
    becomes: '/home/me/work',
    note: 'cut down to the ceiling',
    tone: 'warn',
  },
  { named: '/etc', why: 'outside', becomes: 'rejected', note: 'outside-ceiling', tone: 'bad' },
];

export function drawCeiling() {
  const parts = [
    text(30, 36, 'What a ceiling leaves of the folders a client names', 'title'),
    centred(146, 76, 'the client names', 'small quiet'),
    centred(378, 76, 'the operator set', 'small quiet'),
    centred(614, 76, 'the server has', 'small quiet'),
    box(288, 88, 180, 246, 'main'),
    centred(378, 112, '--within', 'mono main'),
    centred(378, 132, '/home/me/work', 'mono main'),
  ];
  CASES.forEach(({ named, why, becomes, note, tone }, index) => {
    const y = 150 + index * 62;
    const head = tone === 'warn' ? '' : tone;
    parts.push(
      card(30, y - 6, 232, 48, [[named, 'mono']]),
      centred(378, y + 23, why, tone),
      arrow(262, y + 18, 288, y + 18),
      arrow(468, y + 18, 494, y + 18, head, { dashed: tone === 'bad' }),
      card(
        494,
        y - 6,
        240,
        48,
        [
          [becomes, 'mono'],
          [note, `small ${tone}`],
        ],
        tone,
      ),
    );
  });
  return picture({ width: 764, height: 358, title: 'A ceiling cuts the roots that are named' }, parts);
}
