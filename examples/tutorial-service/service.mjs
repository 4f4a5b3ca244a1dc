// service.mjs
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createClient, pageLocation } from 'location-sdk';
import { stopOnSignals } from 'location-sdk/node';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

const store = await sqliteStore({ file: 'reports.db' });
const client = createClient();
const outbox = createOutbox({ client, store });
outbox.start();

async function take(body) {
  const { operation, payload, clientIP, location } = body;
  if (operation === 'verifyNin') return { status: 200, answer: await client.verifyNin(payload) };
  if (operation === 'receipt') return { status: 200, answer: { receipt: await outbox.receipt(payload) } };
  // what the page has posted: read, if it is a position
  const options = { clientIP, location: pageLocation(location) };
  const report = { operation, payload, options };
  for (const result of await outbox.reportAll([report])) if (result.status === 'rejected') throw result.reason;
  return { status: 202, answer: {} };
}

function answerOf(error) {
  const isNoJson = error instanceof SyntaxError || error instanceof TypeError;
  if (isNoJson) return { status: 400, answer: { message: 'send JSON' } };
  const { code, message } = error; // free of personal data
  // the last: the gateway refuses the number
  const isFinal = code === 'validation' || code === 'duplicate' || error.status === 422;
  return { status: isFinal ? 422 : 503, answer: { code, message } };
}

const server = createServer(async (request, response) => {
  const { status, answer } = await json(request)
    .then((body) => take(body))
    .catch(answerOf);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
});
server.listen(4000, '127.0.0.1');
const beforeStop = () => new Promise((done) => server.close(done));
stopOnSignals(outbox, { beforeStop });
