// Fastify: register it in its own scope, in which no parser reads the body before the relay.
import fastify from 'fastify';
import { toNodeHandler } from 'location-sdk/node';
import { relay } from './relay.js';

const app = fastify();
const handle = toNodeHandler(relay);
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.all('/relay/*', (request, reply) => {
    reply.hijack();
    handle(request.raw, reply.raw);
  });
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
