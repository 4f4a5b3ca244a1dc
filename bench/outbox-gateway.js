// The gateway to which a backlog is drained, in a separate process. It only answers. The first argument is its delay,
// in milliseconds.
import { createServer } from 'node:http';

const latencyMs = Number(process.argv[2] ?? 0);
const server = createServer((request, response) => {
  const answer = () =>
    response.setHeader('content-type', 'application/json').end('{"status":"ok","message":"recorded"}');
  request.resume().once('end', () => (latencyMs > 0 ? setTimeout(answer, latencyMs) : answer()));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address ? address.port : 0);
});
