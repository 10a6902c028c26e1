import type { PageKind } from './page-kind.js';

/** Two texts, line by line. */
export const DIFFERENCE: PageKind = {
  title: 'Diff Viewer',
  body: '<div id="place" class="columns"></div>',
  script: `/** The lines of both, with what only one of them has: the longest common part stays. */
const MAX_CELLS = 4000000;
const compareLines = (left, right) => {
  const width = right.length + 1;
  if ((left.length + 1) * width > MAX_CELLS) {
    return [...left.map((line) => ({ line, kind: 'removed' })), ...right.map((line) => ({ line, kind: 'added' }))];
  }
  const common = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      common[i * width + j] = left[i] === right[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push({ line: left[i], kind: 'same' });
      i += 1;
      j += 1;
    } else if (j >= right.length || (i < left.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      lines.push({ line: left[i], kind: 'removed' });
      i += 1;
    } else {
      lines.push({ line: right[j], kind: 'added' });
      j += 1;
    }
  }
  return lines;
};
const panel = (heading, lines) => {
  let number = 0;
  return element('section', {}, element('h3', { textContent: heading }), ...lines.map(({ line, kind }) => {
    number += 1;
    const shown = config.showLineNumbers === false ? line : String(number).padStart(4) + '  ' + line;
    return element('pre', { className: kind, textContent: shown || ' ' });
  }));
};
const show = (data) => {
  const left = text(data?.left ?? data?.original).split('\\n');
  const right = text(data?.right ?? data?.modified).split('\\n');
  const lines = compareLines(left, right);
  const { leftTitle = 'Original', rightTitle = 'Modified', viewMode = 'split' } = config;
  if (viewMode === 'unified') {
    const marks = { added: '+ ', removed: '- ', same: '  ' };
    return fill(panel(leftTitle + ' → ' + rightTitle, lines.map(({ line, kind }) => ({ line: marks[kind] + line, kind }))));
  }
  return fill(
    panel(leftTitle, lines.filter(({ kind }) => kind !== 'added')),
    panel(rightTitle, lines.filter(({ kind }) => kind !== 'removed')),
  );
};`,
};

/** Nodes that open and close. */
export const TREE: PageKind = {
  title: 'Tree View',
  body: '<div id="place"></div>',
  script: `const ICONS = { folder: '📁', 'folder-open': '📂', file: '📄' };
const nameOf = ({ id, label = id }) => text(label);
const label = (node) => {
  const { icon, iconChar, meta } = node;
  const sign = config.showIcons === false ? '' : (iconChar ?? ICONS[icon] ?? '');
  const about = meta === undefined ? [] : [element('span', { className: 'meta', textContent: text(meta) })];
  return element('span', {}, (sign === '' ? '' : sign + ' ') + nameOf(node), ...about);
};
const chosen = (node, ...children) => {
  const button = element('button', {}, ...children);
  button.addEventListener('click', () => {
    if (config.onSelectTool) callTool(config.onSelectTool, { id: node.id, label: nameOf(node) });
  });
  return button;
};
const branch = (nodes, depth) => element('ul', {}, ...nodes.map((each) => {
  const node = each ?? {};
  const children = Array.isArray(node.children) ? node.children : [];
  if (children.length === 0) return element('li', {}, config.selectable === true ? chosen(node, label(node)) : label(node));
  const open = depth < (config.expandLevel ?? 1);
  // A summary is a control itself, and holds no other.
  const choice = config.selectable === true ? [chosen(node, 'Select ' + nameOf(node))] : [];
  return element('li', {}, element('details', { open }, element('summary', {}, label(node)), ...choice, branch(children, depth + 1)));
}));
const show = (data) => fill(branch(listIn(data), 0));`,
};

/** Cards in columns. */
export const BOARD: PageKind = {
  title: 'Kanban Board',
  body: '<div id="place" class="columns"></div>',
  script: `const COLUMNS = [{ id: 'todo', title: 'To Do' }, { id: 'in-progress', title: 'In Progress' }, { id: 'done', title: 'Done' }];
const columns = Array.isArray(config.columns) ? config.columns : COLUMNS;
let cards = [];
const columnOf = ({ column, status: state }) => column ?? state;
const cardOf = (card) => {
  const { id, title: heading, description, priority, tags = [], assignee } = card;
  const about = [priority, ...(Array.isArray(tags) ? tags : []), assignee].filter(Boolean).map(text).join(' · ');
  const made = element('div', { className: 'card', draggable: config.draggable !== false }, element('strong', { textContent: text(heading ?? id) }));
  if (description) made.append(element('p', { textContent: text(description) }));
  if (about !== '') made.append(element('span', { className: 'meta', textContent: about }));
  if (config.draggable !== false) {
    // For those who cannot drag.
    const choice = element('select', { ariaLabel: 'Column of ' + text(heading ?? id) },
      ...columns.map((each) => element('option', { value: each.id, textContent: text(each.title ?? each.id) })));
    choice.value = columnOf(card);
    choice.addEventListener('change', () => move(text(id), choice.value));
    choice.addEventListener('click', (event) => event.stopPropagation());
    made.append(choice);
  }
  made.addEventListener('dragstart', (event) => event.dataTransfer.setData('text/plain', text(id)));
  made.addEventListener('click', () => {
    if (config.onCardClickTool) callTool(config.onCardClickTool, { id });
  });
  return made;
};
const move = async (id, to) => {
  const card = cards.find((each) => text(each.id) === id);
  if (card === undefined || columnOf(card) === to) return;
  const from = columnOf(card);
  card.column = to;
  draw();
  if (!config.onMoveTool || (await callTool(config.onMoveTool, { id: card.id, from, to, column: to }))) return;
  card.column = from;
  draw();
};
const draw = () => fill(...columns.map(({ id, title: heading = id }) => {
  const made = element('section', {}, element('h3', { textContent: text(heading) }),
    ...cards.filter((card) => columnOf(card) === id).map(cardOf));
  made.addEventListener('dragover', (event) => event.preventDefault());
  made.addEventListener('drop', (event) => {
    event.preventDefault();
    move(event.dataTransfer.getData('text/plain'), id);
  });
  return made;
}));
const show = (data) => {
  cards = listIn(data).filter((card) => card !== null && typeof card === 'object').map((card) => ({ ...card }));
  draw();
};
draw();`,
};
