import { isObject, type JsonObject } from '@rootward/core/platform';
import type { PageKind } from './page-kind.js';

/** Fields that are sent to a tool. */
export const FORM: PageKind = {
  title: 'Form',
  body: '<p id="about"></p><form id="place"></form>',
  check: (config) =>
    named(config['fields'], 'name') ??
    (typeof config['submitTool'] === 'string' ? undefined : 'submitTool must name a tool'),
  script: `document.getElementById('about').textContent = text(config.description);
const control = ({ name, type = 'text', options = [], required = false, placeholder = '', default: start }) => {
  const common = { name, required: required === true };
  if (type === 'select') {
    const made = element('select', common, ...options.map((each) => {
      const value = text(each?.value ?? each);
      return element('option', { value, textContent: text(each?.label ?? value) });
    }));
    if (start !== undefined) made.value = text(start);
    return made;
  }
  if (type === 'checkbox') return element('input', { ...common, type, checked: start === true || start === 'true' });
  const made = element(type === 'textarea' ? 'textarea' : 'input', { ...common, placeholder: text(placeholder) });
  if (type !== 'textarea') made.type = type;
  if (start !== undefined) made.value = text(start);
  return made;
};
const valueOf = (field) => {
  if (field.type === 'checkbox') return field.checked;
  return field.type === 'number' && field.value !== '' ? Number(field.value) : field.value;
};
fill(
  ...config.fields.map((field) => element('label', { textContent: text(field.label ?? field.name) + ' ' }, control(field))),
  element('button', { textContent: 'Submit' }),
  ...(config.cancelable === true ? [element('button', { type: 'reset', textContent: 'Cancel' })] : []),
);
place.addEventListener('submit', (event) => {
  event.preventDefault();
  const entered = [...place.elements].filter(({ name }) => name).map((field) => [field.name, valueOf(field)]);
  callTool(config.submitTool, { ...config.submitArgs, ...Object.fromEntries(entered) });
});
const show = () => undefined;`,
};

/** The list a tool answers with, in columns. */
export const TABLE: PageKind = {
  title: 'Data',
  body: '<table><thead id="head"></thead><tbody id="place"></tbody></table>',
  check: (config) => named(config['columns'], 'key'),
  script: `let rows = [];
let sorted = { key: undefined, down: false };
const head = element('tr', {}, ...config.columns.map(({ key, label = key, sortable = false }) => {
  if (!sortable) return element('th', { scope: 'col', textContent: text(label) });
  const button = element('button', { textContent: text(label) });
  button.addEventListener('click', () => {
    sorted = { key, down: sorted.key === key && !sorted.down };
    draw();
  });
  return element('th', { scope: 'col' }, button);
}));
document.getElementById('head').append(head);
const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : text(a).localeCompare(text(b));
const draw = () => {
  const { key, down } = sorted;
  const ordered = key === undefined ? rows : rows.toSorted((a, b) => (down ? -1 : 1) * compare(a?.[key], b?.[key]));
  fill(...ordered.map((row) => element('tr', {}, ...config.columns.map((column) =>
    element('td', { textContent: text(row?.[column.key]) })))));
};
const show = (data) => {
  rows = listIn(data);
  draw();
};`,
};

/** How far a tool is; until it says so, that it runs. */
export const PROGRESS: PageKind = {
  title: 'Progress',
  body: '<div id="place"><progress id="bar" max="100"></progress> <span id="percent"></span><p id="step"></p></div>',
  script: `const bar = document.getElementById('bar');
const tell = (share, step) => {
  if (share !== undefined) bar.value = share;
  if (config.showPercentage !== false && share !== undefined) document.getElementById('percent').textContent = Math.round(share) + '%';
  if (config.showCurrentStep !== false) document.getElementById('step').textContent = text(step);
};
const showProgress = ({ progress, total = 100, message }) => tell(total > 0 ? (progress * 100) / total : undefined, message);
if (config.cancelTool) {
  const button = element('button', { textContent: 'Cancel' });
  button.addEventListener('click', () => {
    if (button.dataset.asked !== 'yes') {
      button.dataset.asked = 'yes';
      status(config.cancelConfirm ?? 'Are you sure you want to cancel? Press again.');
    } else callTool(config.cancelTool, {});
  });
  place.append(button);
}
const show = (data) => {
  const share = typeof data?.progress === 'number' ? data.progress : typeof data?.percentage === 'number' ? data.percentage : 100;
  tell(share, data?.message ?? data?.currentStep ?? (share >= 100 ? 'Done' : ''));
};`,
};

/** A list of objects that each have a name. */
function named(list: unknown, key: string): string | undefined {
  const isList =
    Array.isArray(list) &&
    list.every((each): each is JsonObject => isObject(each) && typeof each[key] === 'string');
  const field = key === 'key' ? 'columns' : 'fields';
  return isList ? undefined : `${field} must be a list of objects with ${key}`;
}
