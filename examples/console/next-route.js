// Next.js: app/ops/outbox/[[...path]]/route.js. The address of a route's request is localhost, so name your site in
// PUBLIC_ORIGIN.
import { operatorConsole } from './console.js';

export const dynamic = 'force-dynamic';
export const GET = (/** @type {Request} */ request) => operatorConsole(request);
export const POST = GET;
