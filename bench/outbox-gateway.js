// The gateway that a backlog is drained to, in a process of its own. It keeps nothing but the connection busy.
// The first word is how long it takes to answer, in milliseconds.
import { createServer } from 'node:http';

const latencyMs = Number(process.argv[2] ?? 0);
const server = createServer((request, response) => {
  const answer = () => response.setHeader('content-type', 'application/json').end('{"status":"ok","message":"recorded"}');
  request.resume().once('end', () => (latencyMs > 0 ? setTimeout(answer, latencyMs) : answer()));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address ? address.port : 0);
});
