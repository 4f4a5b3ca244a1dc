import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '../../core/web/hooks.js';
import { broken, refusals, toResponse } from '../relay/answers.js';
import type { Relay } from '../relay/relay.js';
import { sendResponse, streamBody, toRequest, urlOf } from './http.js';

/**
 * A handler for `http.createServer`. With `next` it is middleware for Express and compatible frameworks. Never rejects.
 */
export type NodeHandler = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/**
 * A relay or a console for Node.js's `http`, and for Express. It gets the socket's address, and the request itself as
 * `native`. With Express, mount it before any body parser: it reads the body itself. It does not throw. If the
 * body was read before, it answers 500, or passes a `TypeError` to Express's `next`.
 *
 * @example
 * ```ts
 * createServer(toNodeHandler(relay)).listen(3000);
 * app.use('/relay', toNodeHandler(relay));
 * ```
 */
export function toNodeHandler(relay: Relay): NodeHandler {
  return async (incoming, outgoing, next) => {
    // A client that disconnects during the answer.
    outgoing.on('error', () => undefined);
    try {
      const url = urlOf(incoming);
      if (!url) return await sendResponse(toResponse(refusals.badAddress), outgoing);
      const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
      if (hasBody && incoming.readableDidRead) {
        const problem = new TypeError(
          'The body was read before: mount the relay, or the console, before any body parser, such as express.json().',
        );
        if (next) return next(problem);
        const id = newId();
        process.emitWarning(`${id}: ${problem.message}`, { type: 'LocationSdkWarning' });
        return await sendResponse(toResponse(broken(id)), outgoing);
      }
      const request = toRequest(incoming, url, hasBody ? { body: streamBody(incoming) } : {});
      const { rawHeaders } = incoming;
      const { remoteAddress } = incoming.socket;
      const connection = { remoteAddress, rawHeaders, requestTarget: targetOf(incoming), native: incoming };
      await sendResponse((await relay(request, connection)) as Response, outgoing);
    } catch {
      // The connection broke, or the headers are invalid in a web request: no answer is possible.
      incoming.socket.destroy();
    }
  };
}

/** The whole path: Express removes the mount path from `url`. */
function targetOf(incoming: IncomingMessage & { originalUrl?: unknown }): string | undefined {
  return typeof incoming.originalUrl === 'string' ? incoming.originalUrl : incoming.url;
}
