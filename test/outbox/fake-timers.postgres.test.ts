import { afterEach, expect, test, vi } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox } from '../../src/entries/outbox.js';
import { betEvent } from '../support/factories.js';
import { FAKES, TIMERS, useRealTimers, worksUnderFakes } from './fake-timers.js';
import { openStore } from './stores/postgres/world.js';

afterEach(useRealTimers);

test.each(FAKES)('under %s an outbox over PostgreSQL takes, sends, drains and stops', (_, install) =>
  worksUnderFakes(() => openStore(), install),
);

test('over PostgreSQL a report is also taken with a faked queueMicrotask, as in Jest', async () => {
  const store = await openStore();
  vi.useFakeTimers({ toFake: [...TIMERS, 'Date', 'performance', 'queueMicrotask'] });
  const outbox = createOutbox({ client: createClient(createMockGateway().clientOptions()), store });
  expect(await outbox.reportBetEvent(betEvent())).toMatchObject({ state: 'waiting' });
});
