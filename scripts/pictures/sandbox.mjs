import { box, centred, picture, text } from './svg.mjs';

const LEVELS = ['off', 'write', 'strict'];
/** What a child may do at each level. */
const ROWS = [
  ['read the roots', 'yes', 'yes', 'yes'],
  ['read the system and the runtime', 'yes', 'yes', 'yes'],
  ['read your other files', 'yes', 'yes', 'no'],
  ['read your credentials', 'yes', 'no', 'no'],
  ['write in read-write roots', 'yes', 'yes', 'yes'],
  ['write anywhere else', 'yes', 'no', 'no'],
  ['use the network', 'yes', 'yes', 'if allowed'],
];
const TONES = { yes: 'good', no: 'bad', 'if allowed': 'warn' };
const [TOP, ROW, FIRST, COLUMN] = [96, 36, 306, 144];

export function drawSandbox() {
  const height = TOP + ROWS.length * ROW + 48;
  return picture({ width: 764, height, title: 'What a child may do at each level of the sandbox' }, [
    text(24, 36, 'What a child may do at each level', 'title'),
    LEVELS.map((level, index) => centred(FIRST + index * COLUMN + 64, 78, level, 'mono title')),
    ROWS.map(([what, ...cells], row) => {
      const y = TOP + row * ROW;
      return [
        text(24, y + 20, what),
        cells.map((cell, index) => {
          const x = FIRST + index * COLUMN;
          return [box(x, y, 128, ROW - 8, TONES[cell]), centred(x + 64, y + 19, cell, TONES[cell])];
        }),
      ];
    }),
    text(
      24,
      height - 20,
      'Folders you name, and a private temporary folder, may be written at write and strict.',
      'small quiet',
    ),
  ]);
}
