#!/usr/bin/env node
// npm links this file before anything is built, so that the command in a fresh clone can say what is missing.
import { existsSync } from 'node:fs';

const cli = new URL('../dist/cli.js', import.meta.url);

if (existsSync(cli)) await import(cli.href);
else {
  console.error(
    'location-sdk is not built in this clone, so the command did nothing. Run "npm ci && npm run build" first.',
  );
  process.exitCode = 1;
}
