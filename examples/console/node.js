// Node.js's own server: `node examples/console/node.js`.
import { createServer } from 'node:http';
import { toNodeHandler } from 'location-sdk/node';
import { operatorConsole, outbox } from './console.js';

outbox.start();
const port = Number(process.env.PORT ?? 3000);
createServer(toNodeHandler(operatorConsole)).listen(port, '127.0.0.1', () =>
  console.log(`The console listens on http://localhost:${port}/`),
);
