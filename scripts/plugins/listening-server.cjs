// An MCP server that answers every tool and notes each call in the file that LISTENING_LOG names.
'use strict';
const { appendFileSync } = require('node:fs');
const { createInterface } = require('node:readline');

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'listening', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'where', inputSchema: { type: 'object' } }] }),
  'tools/call': (params) => {
    appendFileSync(process.env.LISTENING_LOG, `${JSON.stringify(params)}\n`);
    return { content: [{ type: 'text', text: `answered ${params.name}` }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const result = answers[method]?.(params);
  const answer = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
