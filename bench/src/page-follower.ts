import { get } from 'node:http';

/** What its parent asks, and what it answers: how many decisions of a process have come. */
export type FollowerMessage = { readonly type: 'ready' } | { readonly type: 'count'; readonly count: number };

/**
 * A page without a browser, in a process of its own as a browser is: reads what the page gets, and counts the decisions
 * of one process. Started with an address, its token and the pid.
 */
const [address = '', token = '', pid = ''] = process.argv.slice(2);
let count = 0;
let ready = false;

function tell(message: FollowerMessage): void {
  process.send?.(message);
}

/** One message of the stream: lines of fields, with the data in the last one. */
function take(message: string): void {
  const type = /^event: (.*)$/m.exec(message)?.[1];
  const data = /^data: (.*)$/m.exec(message)?.[1];
  if (data === undefined) return;
  const items: readonly { readonly pid: number }[] =
    type === 'processes' || type === 'events' ? JSON.parse(data) : [];
  const own = items.filter((item) => item.pid === Number(pid));
  if (type === 'events') count += own.length;
  else if (!ready && own.length > 0) {
    ready = true;
    tell({ type: 'ready' });
  }
}

process.on('message', () => tell({ type: 'count', count }));
get(`${address}/stream`, { headers: { authorization: `Bearer ${token}` } }, (response) => {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const messages = (rest + chunk).split('\n\n');
    rest = messages.pop() ?? '';
    messages.forEach(take);
  });
});
