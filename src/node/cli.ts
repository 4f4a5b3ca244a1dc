#!/usr/bin/env node
import { main } from './cli/main.js';
import { allSaid } from './cli/output.js';

const code = await main(process.argv.slice(2));
await allSaid();
// What an operator's own file has left open, such as a pool or a timer, keeps nothing waiting.
process.exit(code);
