import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/core/client/create-client.js';
import { systemClock } from '../../../../src/core/platform/time.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { claim, claimOne, DAY_MS, LEASE_MS, newRow, WAITS, write } from '../../contract/harness.js';
import { personalBet } from '../../personal.js';
import { newFile, openStore } from './files.js';

const shifted = (milliseconds: number) => ({ ...systemClock, now: () => Date.now() + milliseconds });

describe.each([
  ['25 hours', 25 * 3_600_000],
  ['a year', 365 * DAY_MS],
  ['ten minutes', 600_000],
])('two workers on one file whose clocks are %s apart', (_, apart) => {
  it('record every report, with few requests', async () => {
    const file = newFile();
    const gateway = createMockGateway();
    let requests = 0;
    const client = createClient({
      ...gateway.clientOptions(),
      fetch: async (url, init) => {
        requests += 1;
        await sleep(50);
        return gateway.fetch(url, init as object);
      },
    });
    const outboxes = await Promise.all(
      [0, apart].map(async (by) => {
        const store = await openStore(file, { clock: shifted(by) });
        return { store, outbox: createOutbox({ client, store }) };
      }),
    );
    for (const { outbox } of outboxes) outbox.start();
    const [first, second] = outboxes.map(({ outbox }) => outbox);
    const bets = ['B-1', 'B-2', 'B-3', 'B-4'];
    await Promise.all(
      bets.map(async (bet, index) => (await (index % 2 ? first : second)?.reportBetEvent(personalBet(bet)))?.done),
    );
    expect(requests).toBeLessThanOrEqual(2 * bets.length);
    for (const { outbox, store } of outboxes) {
      await outbox.stop();
      await store.close?.();
    }
  });
});

describe('the time of a file', () => {
  /** Two stores with clocks of their own. The first has recorded a report, and the second is 30 days ahead. */
  async function twoStores() {
    const file = newFile();
    const [here, there] = [new FakeClock(), new FakeClock()];
    const open = ({ withRealTimers: clock }: FakeClock) => openStore(file, { clock });
    const [store, other] = [await open(here), await open(there)];
    await store.enqueue([newRow('B-0')]);
    await write(store, await claimOne(store));
    there.advance(30 * DAY_MS);
    await other.enqueue([newRow('B-1')]);
    return { here, open, store, other };
  }

  it('goes on with each clock: the row of a dead process whose clock is ahead is taken after its lease', async () => {
    const { here, store, other } = await twoStores();
    await claimOne(other);
    expect(await claim(store)).toEqual([]);
    here.advance(LEASE_MS - 1);
    expect(await claim(store)).toEqual([]);
    here.advance(2);
    expect(await claim(store)).toMatchObject([{ reference: 'B-1', fence: 2 }]);
  });

  it('keeps the wait of a report', async () => {
    const { here, store, other } = await twoStores();
    await write(other, await claimOne(other), { ...WAITS, delayMs: 60_000 });
    expect(await claim(store)).toEqual([]);
    here.advance(59_000);
    expect(await claim(store)).toEqual([]);
    here.advance(1_001);
    expect(await claim(store)).toHaveLength(1);
  });

  it('is left by a process that opens the file after a clock was set right', async () => {
    const { here, open, other } = await twoStores();
    await claimOne(other);
    const later = await open(here);
    expect((await claimOne(later)).changedAt).toBe(here.now());
  });
});
