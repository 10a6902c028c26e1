/** What one kind of page shows, and the script that fills it in. */
export interface PageParts {
  readonly title: string;
  /** Reaches the script as `config`. */
  readonly config: unknown;
  /** Plain HTML of ours: it contains nothing that a project wrote. */
  readonly body: string;
  /** Runs after the common part, and defines `show(data)`. */
  readonly script: string;
}

/**
 * The page around it, which talks with the client as MCP Apps says. Everything a project or a tool wrote goes through
 * `textContent`, so that none of it becomes part of the page.
 */
export function pageDocument({ title, config, body, script }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title></title><style>${STYLE}</style></head>
<body><h2 id="title"></h2>${body}<p id="status" role="status"></p>
<script>
const title = ${inScript(title)};
const config = ${inScript(config)};
${COMMON}
${script}
${START}
</script></body></html>
`;
}

/** A value in a script cannot end the script. */
function inScript(value: unknown): string {
  return JSON.stringify(value ?? null).replaceAll('<', String.raw`\u003c`);
}

const STYLE = `body{font-family:var(--font-sans,system-ui);color:var(--color-text-primary,CanvasText);background:var(--color-background-primary,Canvas);padding:1rem}
label{display:block;margin:.5rem 0}td,th{padding:.25rem .75rem;text-align:start}button{margin:.25rem .5rem .25rem 0}
pre{margin:0;overflow:auto}.added{background:#00800033}.removed{background:#ff000026}
.columns{display:flex;gap:1rem;align-items:flex-start}.columns>section{flex:1;min-width:8rem}
.card{border:1px solid currentColor;border-radius:.25rem;padding:.5rem;margin:.5rem 0}.meta{opacity:.7;margin-inline-start:.5rem}`;

const COMMON = `document.title = title;
document.getElementById('title').textContent = title;
let lastId = 0;
const waiting = new Map();
const say = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const ask = (method, params) => new Promise((resolve, reject) => {
  lastId += 1;
  waiting.set(lastId, { resolve, reject });
  say({ id: lastId, method, params });
});
const status = (text) => { document.getElementById('status').textContent = text; };
const callTool = async (name, args) => {
  try {
    status('…');
    const { isError, content = [] } = await ask('tools/call', { name, arguments: args });
    status(isError ? content.map(({ text }) => text ?? '').join(' ') : 'Done');
    return !isError;
  } catch (error) {
    status(error.message);
    return false;
  }
};
const element = (tag, given = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), given);
  made.append(...children);
  return made;
};
const text = (value) => value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
const place = document.getElementById('place');
const fill = (...children) => place.replaceChildren(...children);
const dataOf = ({ structuredContent, content = [] }) => {
  let value = structuredContent;
  if (value === undefined) {
    try {
      value = JSON.parse(content.find(({ type }) => type === 'text')?.text);
    } catch {
      return undefined;
    }
  }
  return typeof value?.success === 'boolean' && 'result' in value ? value.result : value;
};
const listIn = (data) => Array.isArray(data) ? data : Object.values(data ?? {}).find(Array.isArray) ?? [];`;

const START = `addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== '2.0') return;
  const { id, method, params = {}, result, error } = data;
  if (method === 'ui/notifications/tool-result') show(dataOf(params));
  if (method === 'notifications/progress' && typeof showProgress === 'function') showProgress(params);
  if (method !== undefined || !waiting.has(id)) return;
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error) reject(new Error(error.message));
  else resolve(result ?? {});
});
ask('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: title, version: '1.0.0' }, appCapabilities: {} })
  .then(() => say({ method: 'ui/notifications/initialized' }), (error) => status(error.message));`;
