import pg from 'pg';
import { afterAll, afterEach, expect, inject, test, vi } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox } from '../../src/entries/outbox.js';
import { betEvent } from '../support/factories.js';
import { FAKES, TIMERS, useRealTimers, worksUnderFakes } from './fake-timers.js';
import { openStore } from './stores/postgres/world.js';

// Not the pool of all tests: under fakes, a client that it lends keeps its real idle timer, which would end it seconds
// later, while another test uses it.
const database = new pg.Pool({ connectionString: inject('postgresUrl'), idleTimeoutMillis: 0 });
const openOwn = () => openStore({ database });

afterEach(useRealTimers);
afterAll(() => database.end());

test.each(FAKES)('under %s an outbox over PostgreSQL takes, sends, drains and stops', (_, install) =>
  worksUnderFakes(openOwn, install),
);

test('over PostgreSQL a report is also taken with a faked queueMicrotask, as in Jest', async () => {
  const store = await openOwn();
  vi.useFakeTimers({ toFake: [...TIMERS, 'Date', 'performance', 'queueMicrotask'] });
  const outbox = createOutbox({ client: createClient(createMockGateway().clientOptions()), store });
  expect(await outbox.reportBetEvent(betEvent())).toMatchObject({ state: 'waiting' });
});
