// Node.js's own server: `node examples/relay/node.js`.
import { createServer } from 'node:http';
import { toNodeHandler } from 'location-sdk/node';
import { relay } from './relay.js';

const port = Number(process.env.PORT ?? 3000);
createServer(toNodeHandler(relay)).listen(port, '127.0.0.1', () =>
  console.log(`The relay listens on http://localhost:${port}/`),
);
