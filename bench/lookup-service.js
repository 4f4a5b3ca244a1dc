// A lookup service on loopback with one place and no other work: a real one cannot answer sooner.
import { createServer } from 'node:http';

const place = {
  country_code: 'NG',
  region: 'Lagos',
  city: 'Lagos',
  latitude: '6.4474',
  longitude: '3.3903',
  accuracy: 20,
};
const body = JSON.stringify(place);

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address ? address.port : 0);
});
// Ends with its parent.
process.on('disconnect', () => process.exit());
