// Hono on Node.js. On other platforms only the first two imports differ.
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { relay } from './relay.js';

const app = new Hono();
app.all('/relay/*', (context) => {
  const { remote } = getConnInfo(context);
  return relay(context.req.raw, {
    remoteAddress: remote.address,
    requestTarget: context.env.incoming?.url,
    native: context,
  });
});
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
