// Starts the example in one process as often as it gets SIGHUP: each time its own modules are loaded again, so that it
// knows no bet of the time before, and the package only once.
import { register } from 'node:module';

const keepVersion = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const { search } = new URL(context.parentURL ?? 'file:///');
  return search && found.url.includes('/examples/web/') ? { ...found, url: found.url + search } : found;
}`;
register(`data:text/javascript,${encodeURIComponent(keepVersion)}`);

let starts = 0;
async function start() {
  // The one before ends as at Ctrl+C.
  process.emit('SIGINT');
  starts += 1;
  await import(`../../examples/web/server.js?${starts}`);
}

process.on('SIGHUP', start);
setInterval(() => {}, 1_000_000);
await start();
