// Next.js: app/relay/[event]/route.js. A route does not see the connection, so pass your trusted proxies to
// createRelay. Its address is localhost, so name your site in PUBLIC_ORIGIN.
import { relay } from './relay.js';

export const dynamic = 'force-dynamic';
export const POST = (/** @type {Request} */ request) => relay(request);
