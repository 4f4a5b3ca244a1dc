// Hono on Node.js; on other platforms only the first import differs.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { operatorConsole } from './console.js';

const app = new Hono();
for (const path of ['/ops/outbox', '/ops/outbox/*']) {
  app.all(path, (context) =>
    operatorConsole(context.req.raw, { requestTarget: context.env.incoming?.url, native: context }),
  );
}
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
