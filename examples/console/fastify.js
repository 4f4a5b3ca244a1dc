// Fastify: within a scope of its own, where no parser reads the body before the console does.
import fastify from 'fastify';
import { toNodeHandler } from 'location-sdk/node';
import { operatorConsole } from './console.js';

const app = fastify();
const handle = toNodeHandler(operatorConsole);
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  for (const path of ['/ops/outbox', '/ops/outbox/*']) {
    scope.all(path, (request, reply) => {
      reply.hijack();
      handle(request.raw, reply.raw);
    });
  }
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
