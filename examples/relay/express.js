// Express: mount the relay before express.json(), since it reads the body itself. `native` is Express's `req`.
import express from 'express';
import { toNodeHandler } from 'location-sdk/node';
import { relay } from './relay.js';

const app = express();
app.disable('x-powered-by');
app.use('/relay', toNodeHandler(relay));
app.use(express.json());
app.listen(Number(process.env.PORT ?? 3000));
