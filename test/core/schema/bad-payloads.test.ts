import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasCode } from '../../../src/core/errors/errors.js';
import { operationNames } from '../../../src/core/protocol/operations.js';
import { createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { sampleSize } from '../../support/cases.js';
import { validPayload } from '../../vectors/read.js';
import { type BadCall, badOptions, badPayloads } from './bad-calls.js';
import { CANARY } from './bad-values.js';

/** 100,000 bad payloads in all with TEST_CASES=all; a twentieth otherwise. */
const PAYLOADS_OF_EACH = sampleSize('bad payloads of each operation', Math.ceil(100_000 / operationNames.length));
const OPTIONS_OF_EACH = sampleSize('bad options of each operation', 3_000);
const TIME_LIMIT_MS = 120_000;

/** Without reading it: proxies are named, not accessed. */
const shown = (value: unknown) =>
  inspect(value, { showProxy: true, depth: 3, maxArrayLength: 3, breakLength: Number.POSITIVE_INFINITY });

const prototypes = () =>
  [Object, Array, Function, String, Number].map(({ prototype }) => Reflect.ownKeys(prototype).length);

it.each(operationNames)(
  `${PAYLOADS_OF_EACH} bad payloads of %s, and ${OPTIONS_OF_EACH} bad options, are each refused with a ValidationError, and nothing is sent`,
  async (operation) => {
    let sent = 0;
    const client = createClient({
      ...createMockGateway().clientOptions(),
      fetch: async () => {
        sent += 1;
        throw new Error('sent');
      },
      retry: { limit: 0 },
    });
    const call = client[operation] as (payload: unknown, options: unknown) => Promise<unknown>;
    const before = prototypes();

    const refuses = async (makeCall: () => BadCall) => {
      const { payload, options } = makeCall();
      const error = await call(payload, options).then(
        () => 'not refused',
        (thrown: unknown) => thrown,
      );
      const fail = (what: string): never => {
        throw new Error(`${what} for ${shown(payload)} with ${shown(options)}`, { cause: error });
      };
      // Without `expect`, which takes as long as the rest.
      if (!hasCode(error, 'validation')) return fail('not a ValidationError');
      if (error.issues.length === 0) fail('no issue');
      if (error.message.includes(CANARY)) fail('the message repeats a text of the payload');
      if (sent > 0) fail('something was sent');
    };
    await fc.assert(fc.asyncProperty(badPayloads(validPayload(operation)), refuses), { numRuns: PAYLOADS_OF_EACH });
    await fc.assert(fc.asyncProperty(badOptions(validPayload(operation)), refuses), { numRuns: OPTIONS_OF_EACH });

    expect(prototypes()).toEqual(before);
    expect({}).not.toHaveProperty('polluted');
  },
  TIME_LIMIT_MS,
);
