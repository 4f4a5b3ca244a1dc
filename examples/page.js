// A web page that reports straight to the gateway: `node examples/page.js` prints the address to open. Every visitor of
// such a page can read the API key. Unless yours is meant to be public, do as backend.js and bet.html.
//
// The page reports the two initiated events straight to a mock gateway. Settling never runs in a page, so the page
// asks this backend for it. All of it stays on loopback.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createClient, isReportingError } from 'location-sdk';
import { serve } from 'location-sdk/mock/node';

const mock = await serve();
const options = mock.clientOptions();
const client = createClient(options);

const files = new Map([
  ['/', { path: './page.html', type: 'text/html; charset=utf-8' }],
  ['/location-sdk.global.js', { path: '../dist/location-sdk.global.js', type: 'text/javascript; charset=utf-8' }],
]);

/** @type {Record<string, (body: any) => Promise<unknown>>} */
const routes = {
  // The mock gateway's key is no secret, so the page may have it; a real key stays here.
  'GET /settings': async () => options.gateways.staging,
  'POST /settle-bet': (body) => client.reportSettledBet(body),
  'POST /settle-withdrawal': (body) => client.reportSettledWithdrawal(body),
};

/** @param {import('node:http').IncomingMessage} request */
async function answer(request) {
  const { method, url = '/' } = request;
  const file = method === 'GET' && files.get(url);
  if (file) return { status: 200, type: file.type, content: await readFile(new URL(file.path, import.meta.url)) };
  const route = routes[`${method} ${url}`];
  if (!route) return json(404, { message: 'There is no such path.' });
  try {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    return json(200, await route(JSON.parse(text || '{}')));
  } catch (error) {
    if (!isReportingError(error)) return json(500, { message: 'Something went wrong.' });
    return json(502, { code: error.code, outcome: error.outcome, message: error.message });
  }
}

/** @param {number} status @param {unknown} body */
const json = (status, body) => ({ status, type: 'application/json', content: JSON.stringify(body) });

const server = createServer(async (request, response) => {
  const { status, type, content } = await answer(request);
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(content);
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`Open http://127.0.0.1:${port} (the mock gateway listens on ${mock.url}; stop with Ctrl+C)`);
});
