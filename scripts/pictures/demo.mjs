import { escapeXml, picture } from './svg.mjs';

const COLUMNS = 96;
const STEP = 19;
const LEFT = 26;
const FIRST = 64;
/** How long a line is looked at before the next one comes. */
const SECONDS_PER_LINE = 0.28;

/** Cut at a space, so that a line fits; what follows is indented. */
function wrap(words, indent) {
  const lines = [];
  let rest = words;
  while (rest.length > COLUMNS) {
    const cut = rest.lastIndexOf(' ', COLUMNS);
    const at = cut > indent.length ? cut : COLUMNS;
    lines.push(rest.slice(0, at));
    rest = indent + rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

/** The lines of the picture, each as spans: what is printed, and how it looks. */
function linesOf(output) {
  return output
    .trim()
    .split('\n')
    .flatMap((printed) => {
      if (printed.trim() === '') return [[]];
      if (!printed.startsWith('  ')) return wrap(printed, '').map((words) => [[words, 'strong']]);
      return wrap(printed, '      ').map((words, index) =>
        index === 0 ? spansOf(words) : [[words, 'quiet']],
      );
    });
}

/** A mark, what was done, and after two spaces what came of it. */
function spansOf(words) {
  const [, mark = '', verdict = '', done = '', detail = ''] =
    /^( {2}\S )((?:allowed|refused)(?=:))?(.*?)( {2}.*)?$/.exec(words) ?? [];
  return [
    [mark, 'good'],
    [verdict, verdict === 'refused' ? 'bad' : 'good'],
    [done, ''],
    [detail, 'quiet'],
  ].filter(([each]) => each !== '');
}

function drawLine(spans, index) {
  const y = FIRST + index * STEP;
  const delay = ((index + 1) * SECONDS_PER_LINE).toFixed(2);
  const parts = spans.map(([words, kind]) =>
    kind === '' ? escapeXml(words) : `<tspan class="${kind}">${escapeXml(words)}</tspan>`,
  );
  return `<text class="mono line" style="animation-delay:${delay}s" x="${LEFT}" y="${y}" xml:space="preserve">${parts.join('')}</text>`;
}

/** The demo as a terminal shows it, line by line; all at once for those who want no motion, and in the end. */
export function drawDemo(output) {
  const lines = [[['$ npm run demo', 'quiet']], [], ...linesOf(output)];
  const style = `
  .mono { font-size: 12.5px; } .strong { font-weight: 600; }
  .line { opacity: 0; animation: appear 0.15s forwards; }
  @keyframes appear { to { opacity: 1; } }
  @media (prefers-reduced-motion: reduce) { .line { opacity: 1; animation: none; } }
`;
  const height = FIRST + lines.length * STEP + 4;
  const title =
    'A run of the demo: what is inside the folders of the client is allowed, everything else is refused';
  return picture({ width: 790, height, title, style }, [
    `<rect class="box" x="0.5" y="0.5" width="789" height="${height - 1}" rx="10"/>`,
    [22, 40, 58].map((x) => `<circle class="head" cx="${x}" cy="20" r="5" opacity="0.5"/>`),
    lines.map(drawLine),
  ]);
}
