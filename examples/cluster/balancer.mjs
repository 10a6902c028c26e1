// The smallest balancer there is: `node balancer.mjs PORT…` sends every request to the next of these ports, skips those
// that refuse the connection, and prints its own address. For a look at how instances share sessions, not for production.
import { createServer, request } from 'node:http';

const ports = process.argv.slice(2).map(Number);
let next = 0;

const server = createServer(async (incoming, outgoing) => {
  const chunks = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk);
  } catch {
    return;
  }
  const body = Buffer.concat(chunks);
  for (let attempt = 0; attempt < ports.length; attempt++) {
    const port = ports[next++ % ports.length];
    if (await passTo(port, incoming, outgoing, body)) return;
  }
  refuse(outgoing, 'no instance takes connections');
});

/** False where the instance is not there, so that another one can be tried. */
function passTo(port, { method, url: path, headers }, outgoing, body) {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      outgoing.writeHead(response.statusCode, response.headers);
      outgoing.flushHeaders();
      response.pipe(outgoing);
      response.on('error', () => outgoing.destroy());
      resolve(true);
    });
    sent.on('error', ({ code }) => {
      if (code !== 'ECONNREFUSED') refuse(outgoing, `the connection to an instance failed: ${code}`);
      resolve(code !== 'ECONNREFUSED');
    });
    outgoing.on('close', () => sent.destroy());
    sent.end(body);
  });
}

/** What the instance did before it went away is not known, so the client decides whether to send it again. */
function refuse(outgoing, why) {
  if (outgoing.headersSent) return;
  outgoing.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' });
  outgoing.end(
    JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: `Try again: ${why}` } }),
  );
}

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
