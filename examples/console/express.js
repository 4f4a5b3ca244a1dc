// Express: mount the console before express.json(), since it reads the body itself.
import express from 'express';
import { toNodeHandler } from 'location-sdk/node';
import { operatorConsole } from './console.js';

const app = express();
app.disable('x-powered-by');
app.use('/ops/outbox', toNodeHandler(operatorConsole));
app.use(express.json());
app.listen(Number(process.env.PORT ?? 3000));
