// Stands in for a model on loopback.
import { createServer } from 'node:http';

/** Calls one tool, then ends its turn. Keeps what it was told about the call. */
export async function startScriptedModel(tool, input) {
  const results = [];
  let calls = 0;
  const model = await startModel(({ messages, tools = [] }) => {
    const result = messages.at(-1)?.content?.find?.((part) => part.type === 'tool_result');
    if (result !== undefined) results.push(result);
    return result === undefined && tools.length > 0
      ? [{ type: 'tool_use', id: `toolu_${++calls}`, name: tool, input }]
      : [{ type: 'text', text: 'done' }];
  });
  return { ...model, results };
}

/** Speaks the part of the Messages API that Claude Code uses. `script` gets each request and returns content blocks. */
export async function startModel(script) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      if (!/^\/v1\/messages(?:\?|$)/.test(request.url)) return response.writeHead(404).end('{}');
      const asked = JSON.parse(body);
      answer(response, { model: asked.model, stream: asked.stream, blocks: script(asked) });
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response, { model, blocks, stream }) {
  const stop = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, usage };
  if (stream !== true) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...message, content: blocks, stop_reason: stop }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const event = (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  event('message_start', { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'tool_use') {
      event('content_block_start', { index, content_block: { ...block, input: {} } });
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
      event('content_block_delta', { index, delta });
    } else {
      event('content_block_start', { index, content_block: { type: 'text', text: '' } });
      event('content_block_delta', { index, delta: { type: 'text_delta', text: block.text } });
    }
    event('content_block_stop', { index });
  }
  event('message_delta', { delta: { stop_reason: stop }, usage });
  event('message_stop', {});
  response.end();
}
