// @module-tag slow: sends answers of ten megabytes.

import { createServer } from 'node:http';
import { describe, expect, it, type TestContext } from 'vitest';
import type { ReportingError } from '../../../src/core/errors/errors.js';
import { createClient } from '../../../src/entries/index.js';
import { nodeTransport } from '../../../src/entries/transport-node.js';
import { betEvent, LOCATION } from '../../support/factories.js';
import { listen } from '../../support/listen.js';

const MEGABYTES = 10;
const repeated = (part: string) => Array(Math.floor((MEGABYTES * 2 ** 20) / part.length) + 1).join(part);
const members = () => Array.from({ length: 700_000 }, (_, index) => `"m${index}":0`).join();

/** Bodies of ten megabytes. Parsed and copied, each of them holds an event loop for seconds. */
const BODIES: readonly (readonly [string, () => string])[] = [
  ['a list of numbers', () => `[${repeated('1,')}1]`],
  ['a list of numbers under its message', () => `{"message":[${repeated('1,')}1]}`],
  ['a list of texts under its message', () => `{"message":[${repeated('"no",')}"no"]}`],
  ['an object of many members', () => `{${members()}}`],
  ['one long text', () => `{"message":"${repeated('already reported ')}"}`],
  ['lists in lists', () => `${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}`],
  ['a page of HTML', () => `<html>${repeated('<p>no')}`],
];

async function serving({ onTestFinished }: TestContext, status: number, body: string) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.end(body);
    });
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return url;
}

/** The longest time for which the event loop ran nothing else. */
async function longestHold(work: Promise<unknown>): Promise<number> {
  let [longest, last, isOver] = [0, performance.now(), false];
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await work;
  isOver = true;
  tick();
  return longest;
}

/** It takes some fifty, most of them to read the bytes. A loaded machine is slower. */
const LONGEST_HOLD_MS = 1_000;

describe.for([200, 422, 409, 503])('an answer with status %i of ten megabytes holds nothing up', (status) => {
  it.for(BODIES)('%s', async ([, make], test) => {
    const baseUrl = await serving(test, status, make());
    const transport = nodeTransport();
    test.onTestFinished(() => transport.close());
    for (const by of [{ transport }, {}]) {
      const client = createClient({
        gateways: { staging: { baseUrl, apiKey: 'key' } },
        environment: 'staging',
        retry: { limit: 0 },
        logger: {},
        ...by,
      });
      const ended = client.reportBetEvent(betEvent(), { location: LOCATION }).catch((error: ReportingError) => error);
      const held = await longestHold(ended);
      expect(await ended).toMatchObject({ status, outcome: status === 409 || status === 422 ? 'rejected' : 'unknown' });
      expect(held).toBeLessThan(LONGEST_HOLD_MS);
    }
  });
});

const ofRelay = (relayUrl: string) => createClient({ relayUrl, retry: { limit: 0 }, logger: {} });

it.for(BODIES)('an error of a relay of ten megabytes holds no page up: %s', async ([, make], test) => {
  const client = ofRelay(await serving(test, 503, make()));
  const ended = client.reportBetEvent(betEvent(), { location: LOCATION }).catch((error: ReportingError) => error);
  expect(await longestHold(ended)).toBeLessThan(LONGEST_HOLD_MS);
  expect(await ended).toMatchObject({ status: 503, outcome: 'unknown' });
});

it('a verified identity with large images is read', async (test) => {
  const photo = 'i'.repeat(12 * 2 ** 20);
  const baseUrl = await serving(test, 200, JSON.stringify({ success: true, data: { photo } }));
  const client = createClient({ gateways: { staging: { baseUrl, apiKey: 'key' } }, environment: 'staging' });
  expect(await client.verifyNin('99012345678')).toMatchObject({ success: true, data: { photo } });
});
