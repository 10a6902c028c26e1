import { print } from './result.js';

/** One field of a form. */
export interface FormField {
  readonly name: string;
  readonly type?: 'text' | 'email' | 'number' | 'date' | 'textarea' | 'select' | 'checkbox';
  /** Of a `select`. */
  readonly options?: readonly string[];
}

/** Whether the client shows pages of tools (MCP Apps). */
export function clientSupportsUi(): boolean {
  return process.env['MCPBASH_CLIENT_SUPPORTS_UI'] === '1';
}

/** Answers with a text for every client, and data for the page that belongs to the tool. */
export function resultWithUi(text: string, data?: Readonly<Record<string, unknown>>): void {
  const content = [{ type: 'text', text }];
  print(JSON.stringify({ content, ...(data !== undefined && { structuredContent: data }), isError: false }));
}

/** A page with a form that calls a tool with what was entered. */
export function uiForm(title: string, fields: readonly FormField[], submitTool: string): string {
  const rows = fields.map((field) => `<label>${escape(field.name)} ${control(field)}</label>`);
  const script = `${CALL}
document.forms[0].addEventListener('submit', (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  const args = Object.fromEntries([...event.target.elements].filter((each) => each.name).map((each) => [each.name,
    each.type === 'checkbox' ? each.checked : each.type === 'number' && each.value !== '' ? Number(each.value) : form.get(each.name)]));
  call('tools/call', { name: ${inScript(submitTool)}, arguments: args });
});`;
  return page(title, `<form>${rows.join('')}<button>Submit</button></form>`, script);
}

/** A page with a table of the given rows. */
export function uiTable(
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: readonly string[],
  title = '',
): string {
  const head = columns.map((column) => `<th scope="col">${escape(column)}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${columns.map((column) => `<td>${escape(cell(row[column]))}</td>`).join('')}</tr>`,
  );
  return page(title, `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`, CALL);
}

/** The start of a conversation with the client that shows the page, as MCP Apps says. */
const CALL = `let id = 0;
const call = (method, params) => parent.postMessage({ jsonrpc: '2.0', id: ++id, method, params }, '*');
addEventListener('message', ({ source, data }) => {
  if (source === parent && data?.id === 1 && data.result) parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/initialized' }, '*');
});
call('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: document.title, version: '1.0.0' }, appCapabilities: {} });`;

const STYLE =
  'body{font-family:var(--font-sans,system-ui);color:var(--color-text-primary,CanvasText);background:var(--color-background-primary,Canvas);padding:1rem}label{display:block;margin:.5rem 0}td,th{padding:.25rem .75rem;text-align:start}';

function page(title: string, body: string, script: string): string {
  const heading = title === '' ? '' : `<h1>${escape(title)}</h1>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title><style>${STYLE}</style></head><body>${heading}${body}<script>${script}</script></body></html>`;
}

function control({ name, type = 'text', options = [] }: FormField): string {
  const named = `name="${escape(name)}"`;
  if (type === 'textarea') return `<textarea ${named}></textarea>`;
  if (type === 'select') {
    return `<select ${named}>${options.map((option) => `<option>${escape(option)}</option>`).join('')}</select>`;
  }
  return `<input ${named} type="${escape(type)}">`;
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A string in a script cannot end the script. */
function inScript(text: string): string {
  return JSON.stringify(text).replaceAll('<', String.raw`\u003c`);
}
