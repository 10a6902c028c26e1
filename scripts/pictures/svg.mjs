// The few shapes the pictures of the guides are made of. Colours come from classes, so that one file fits light and dark.

const STYLE = `
  :root { --ground: #ffffff; --panel: #f6f8fa; --line: #c4ccd4; --text: #1f2328; --quiet: #59636e;
    --good: #1a7f37; --good-fill: #e3f9e8; --bad: #c11f2a; --bad-fill: #ffefee;
    --main: #0860c4; --main-fill: #e3f2ff; --warn: #8a5c00; --warn-fill: #fff6d1; }
  @media (prefers-color-scheme: dark) {
    :root { --ground: #0d1117; --panel: #161b22; --line: #444c56; --text: #f0f6fc; --quiet: #a2abb5;
      --good: #4cc864; --good-fill: #11281a; --bad: #ff7b72; --bad-fill: #311619;
      --main: #6cb0ff; --main-fill: #10243f; --warn: #e3b341; --warn-fill: #2d2410; }
  }
  text { font: 14px system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; fill: var(--text); }
  .title { font-weight: 600; font-size: 15px; }
  .small { font-size: 12.5px; }
  .mono { font-family: ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", "DejaVu Sans Mono", monospace; font-size: 13px; }
  .quiet { fill: var(--quiet); } .good { fill: var(--good); } .bad { fill: var(--bad); }
  .main { fill: var(--main); } .warn { fill: var(--warn); }
  .ground { fill: var(--ground); }
  rect.box { fill: var(--panel); stroke: var(--line); }
  rect.box-plain { fill: none; stroke: var(--line); }
  rect.box-good { fill: var(--good-fill); stroke: var(--good); }
  rect.box-bad { fill: var(--bad-fill); stroke: var(--bad); }
  rect.box-main { fill: var(--main-fill); stroke: var(--main); }
  rect.box-warn { fill: var(--warn-fill); stroke: var(--warn); }
  .stroke { stroke: var(--quiet); fill: none; stroke-width: 1.5; }
  .stroke-good { stroke: var(--good); fill: none; stroke-width: 1.5; }
  .stroke-bad { stroke: var(--bad); fill: none; stroke-width: 1.5; }
  .stroke-main { stroke: var(--main); fill: none; stroke-width: 1.5; }
  .head { fill: var(--quiet); } .head-good { fill: var(--good); } .head-bad { fill: var(--bad); } .head-main { fill: var(--main); }
`;

export function escapeXml(words) {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A whole file. `title` is what a reader who cannot see it is told. */
export function picture({ width, height, title, style = '' }, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<title>${escapeXml(title)}</title>
<style>${STYLE}${style}</style>
<rect class="ground" width="${width}" height="${height}" rx="10"/>
${parts.flat(Infinity).join('\n')}
</svg>
`;
}

/** `kind` is a list of classes: title, small, mono, quiet, good, bad, main, warn. */
export function text(x, y, words, kind = '', anchor = 'start') {
  return `<text x="${x}" y="${y}"${kind === '' ? '' : ` class="${kind}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`} xml:space="preserve">${escapeXml(words)}</text>`;
}

export function centred(x, y, words, kind = '') {
  return text(x, y, words, kind, 'middle');
}

/** A rectangle; `tone` is plain, good, bad, main, warn or nothing. */
export function box(x, y, width, height, tone = '', { dashed = false } = {}) {
  const kind = tone === '' ? 'box' : `box-${tone}`;
  return `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="7"${dashed ? ' stroke-dasharray="5 4"' : ''}/>`;
}

/** A box with lines of text in its middle: [words, kind]. */
export function card(x, y, width, height, lines, tone = '') {
  const step = 20;
  const first = y + height / 2 - ((lines.length - 1) * step) / 2 + 5;
  return [
    box(x, y, width, height, tone),
    ...lines.map(([words, kind = ''], index) => centred(x + width / 2, first + index * step, words, kind)),
  ];
}

function round(value) {
  return Math.round(value * 10) / 10;
}

/** Straight, with a head at its end. */
export function arrow(x1, y1, x2, y2, tone = '', { dashed = false } = {}) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - ux * 9, y2 - uy * 9];
  const points = [
    [x2, y2],
    [bx - uy * 4.5, by + ux * 4.5],
    [bx + uy * 4.5, by - ux * 4.5],
  ];
  const suffix = tone === '' ? '' : `-${tone}`;
  return [
    `<line class="stroke${suffix}" x1="${x1}" y1="${y1}" x2="${round(bx)}" y2="${round(by)}"${dashed ? ' stroke-dasharray="5 4"' : ''}/>`,
    `<polygon class="head${suffix}" points="${points.map((point) => point.map(round).join(',')).join(' ')}"/>`,
  ];
}

export function line(x1, y1, x2, y2, { dashed = false } = {}) {
  return `<line class="stroke" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"${dashed ? ' stroke-dasharray="4 4"' : ''}/>`;
}
