import { readSources, Workspace } from '@rootward/core';
import { arrow, box, centred, picture, text } from './svg.mjs';

const STEPS = [
  ['handle', 'a token that a call passes as "workspace"', 'call'],
  ['consent', 'a folder the user agreed to, in addition', 'call'],
  ['client', 'the answer of the client to roots/list', 'client'],
  ['request', 'what the metadata of one call says', 'client'],
  ['flag', '--root, and folders as arguments', 'operator'],
  ['env', 'ROOTWARD_ROOTS', 'operator'],
  ['config', '"roots" in rootward.json', 'operator'],
  ['project', '--project: the tools project', 'operator'],
  ['host', 'a variable of the host names a folder', 'hint'],
  ['cwd', 'the folder the process was started in', 'hint'],
  ['ceiling', '--within: the most there can be', 'last'],
];
const GROUPS = {
  call: ['', 'for one call, or for', 'as long as the connection'],
  client: ['main', 'the client', 'says it'],
  operator: ['good', 'the operator', 'set it'],
  hint: ['warn', 'only hints: never instead of', 'what the operator named'],
  last: ['', 'last resort', ''],
};
const ROW = 38;
const TOP = 64;

/** The order is the one of the code: a trace lists every source, strongest first. */
async function orderOfCode() {
  const sources = await readSources({ environment: {}, home: '/home/me' });
  const workspace = new Workspace({ sources });
  const order = workspace.snapshot().trace.map(({ source }) => source);
  workspace.dispose();
  return order;
}

export async function drawSources() {
  const drawn = STEPS.map(([name]) => name);
  const real = await orderOfCode();
  if (drawn.join() !== real.join())
    throw new Error(`the sources are ${real.join(', ')}; draw them in this order`);
  const parts = [
    text(30, 36, 'Who says which folders are in scope', 'title'),
    text(722, 36, 'asked from top to bottom; the first valid answer counts', 'small quiet', 'end'),
    arrow(44, TOP + 6, 44, TOP + ROW * STEPS.length - 12),
  ];
  STEPS.forEach(([name, says, group], index) => {
    const y = TOP + index * ROW;
    const [tone] = GROUPS[group];
    parts.push(
      box(66, y, 440, ROW - 8, tone),
      text(80, y + 20, name, `mono ${tone}`),
      text(166, y + 20, says),
    );
  });
  for (const [group, [tone, ...words]] of Object.entries(GROUPS)) {
    const rows = STEPS.flatMap(([, , of], index) => (of === group ? [index] : []));
    const [from, to] = [TOP + rows[0] * ROW, TOP + rows.at(-1) * ROW + ROW - 8];
    const lines = words.filter((word) => word !== '');
    const middle = (from + to) / 2 - (lines.length - 1) * 9 + 5;
    parts.push(
      `<path class="stroke" d="M514 ${from} h8 V${to} h-8"/>`,
      lines.map((word, index) => text(534, middle + index * 18, word, `small ${tone}`)),
    );
  }
  const bottom = TOP + STEPS.length * ROW + 18;
  parts.push(centred(376, bottom, 'No answer at all: no roots, and every path is refused.', 'bad'));
  return picture({ width: 752, height: bottom + 22, title: 'The sources of roots, strongest first' }, parts);
}
