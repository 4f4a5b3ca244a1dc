// The gateway answers 403 to every request for a minute, while a thousand reports wait: over SQLite and over
// PostgreSQL, in parallel, with a gateway on a raw socket. Meanwhile there must be few requests and at most
// `breakerAfter` quarantined reports. Once the gateway is repaired, each of the others must be recorded once. `npm run
// soak:refusal -- --reports 1000 --seconds 60 --workers 2`, with the built package.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../support/postgres-server.js';
import { http, rawGateway } from '../support/raw-gateway.js';
import { readOptions } from './options.js';
import { sleep } from './random.js';
import { openOutbox } from './refusal-outbox.js';
import { bet } from './reports.js';
import { endWith } from './verdict.js';

const FEWER_THAN = 30;
/** The default of the option `breakerAfter`. */
const BREAKER_AFTER = 5;
const LOOK_MS = 100;
const FIRST_REQUEST_MS = 20_000;
const DRAIN_MS = 60_000;

const { reports, seconds, workers } = readOptions({ reports: 1_000, seconds: 60, workers: 2 });

/** Whether it became true in time. @param {() => boolean | Promise<boolean>} condition @param {number} milliseconds */
async function comesTrue(condition, milliseconds) {
  for (const began = performance.now(); performance.now() - began < milliseconds; await sleep(LOOK_MS))
    if (await condition()) return true;
  return false;
}

/** Returns the problems. @param {string} store @param {import('./refusal-outbox.js').Task['place']} place */
async function refuse(store, place) {
  const gateway = await rawGateway(() => http('403 Forbidden', '{"message":"Forbidden"}'));
  const task = { gateway: gateway.baseUrl, place };
  const { outbox, close } = await openOutbox(task);
  const backlog = Array.from({ length: reports }, (_, index) => ({
    operation: /** @type {const} */ ('reportBetEvent'),
    payload: bet('default', `BET-${index}`),
  }));
  const enqueued = await outbox.reportAll(backlog);
  const accepted = enqueued.filter(({ status }) => status === 'fulfilled').length;

  const crew = Array.from({ length: workers }, () =>
    fork(new URL('refusal-worker.js', import.meta.url), [JSON.stringify(task)]),
  );
  const isAsked = await comesTrue(() => gateway.requests.length > 0, FIRST_REQUEST_MS);
  await sleep(seconds * 1_000);
  const [requests, { states: during }] = [gateway.requests.length, await outbox.stats()];

  gateway.answerWith(() => http('200 OK', '{"message":"Bet event reported"}'));
  const refused = gateway.requests.length;
  // As the person on call does once the key is valid again. Without it the next probe does the same.
  await outbox.resume('staging');
  const began = performance.now();
  const isSent = await comesTrue(async () => {
    const { states } = await outbox.stats();
    return states.waiting + states['in-flight'] === 0;
  }, DRAIN_MS);
  const drainedMs = Math.round(performance.now() - began);
  const { states } = await outbox.stats();
  for (const child of crew) child.kill('SIGKILL');
  await close();
  await gateway.close();
  const recorded = gateway.requests.slice(refused).map(({ body }) => body);

  console.log(
    `soak: ${store}: ${requests} requests in ${seconds} s of 403 with ${during.waiting + during['in-flight']} of ${accepted} reports waiting and ${during.quarantined} quarantined; repaired, ${states.recorded} were recorded in ${drainedMs} ms`,
  );
  const problems = [];
  if (accepted !== reports) problems.push(`${accepted} of ${reports} reports were accepted`);
  if (!isAsked) problems.push('no request came: nothing was tested');
  if (requests >= FEWER_THAN)
    problems.push(`${requests} requests were made, and there should be fewer than ${FEWER_THAN}`);
  if (during.quarantined > BREAKER_AFTER)
    problems.push(`${during.quarantined} reports were quarantined, and there should be ${BREAKER_AFTER} at most`);
  if (!isSent) problems.push('the waiting reports could not be sent at the end');
  if (states.recorded + states.quarantined !== accepted)
    problems.push(`${states.recorded} are recorded and ${states.quarantined} quarantined, of ${accepted}`);
  if (new Set(recorded).size !== states.recorded)
    problems.push(`the gateway has ${new Set(recorded).size}, and the outbox says ${states.recorded}`);
  if (new Set(recorded).size !== recorded.length) problems.push('the gateway recorded a report twice');
  return problems.map((problem) => `${store}: ${problem}`);
}

const folder = await mkdtemp(join(tmpdir(), 'location-sdk-refusal-'));
const server = await startPostgres();
const problems = await Promise.all([
  refuse('SQLite', { file: join(folder, 'outbox.db') }),
  refuse('PostgreSQL', { url: server.url }),
]);
await server.stop();
await rm(folder, { recursive: true });
endWith(problems.flat());
console.log('soak: a gateway that refuses all requests causes few requests and loses no report');
process.exit(0);
