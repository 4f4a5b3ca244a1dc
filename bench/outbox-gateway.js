// The gateway that a backlog is drained to, in a process of its own. It keeps nothing but the connection busy.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{"status":"ok","message":"recorded"}'));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address ? address.port : 0);
});
