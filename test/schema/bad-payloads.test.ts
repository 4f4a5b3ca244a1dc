import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createClient, isValidationError } from '../../src/index.js';
import { createMockGateway } from '../../src/mock/index.js';
import { operationNames } from '../../src/operations.js';
import { validPayload } from '../vectors/read.js';
import { badCalls } from './bad-calls.js';
import { CANARY } from './bad-values.js';

const RUNS_OF_EACH = 20_000;
const TIME_LIMIT_MS = 60_000;

/** Without touching it: proxies are shown, not asked. */
const shown = (value: unknown) => inspect(value, { showProxy: true, depth: 3, maxArrayLength: 3, breakLength: Number.POSITIVE_INFINITY });

const prototypes = () => [Object, Array, Function, String, Number].map(({ prototype }) => Reflect.ownKeys(prototype).length);

it.each(operationNames)(
  `${RUNS_OF_EACH} bad calls of %s are each refused with a ValidationError, and nothing is sent`,
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

    const refused = fc.asyncProperty(badCalls(validPayload(operation)), async (makeCall) => {
      const { payload, options } = makeCall();
      const error = await call(payload, options).then(
        () => 'not refused',
        (thrown: unknown) => thrown,
      );
      if (!isValidationError(error)) throw new Error(`not a ValidationError for ${shown(payload)} with ${shown(options)}`, { cause: error });
      expect(error.issues.length).toBeGreaterThan(0);
      expect(error.message).not.toContain(CANARY);
      expect(sent).toBe(0);
    });
    await fc.assert(refused, { numRuns: RUNS_OF_EACH });

    expect(prototypes()).toEqual(before);
    expect({}).not.toHaveProperty('polluted');
  },
  TIME_LIMIT_MS,
);
