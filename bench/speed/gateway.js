// The server, in a separate process and the same for all: it reads a request to its end and gives one small JSON
// answer.
import { createServer } from 'node:http';

const answer = Buffer.from('{"message":"Settled bet event reported successfully"}');

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.byteLength }).end(answer);
  });
});
// A contender that waits for its turn keeps its connections.
server.keepAliveTimeout = 0;
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address ? address.port : 0);
});
// Ends with its parent.
process.on('disconnect', () => process.exit());
