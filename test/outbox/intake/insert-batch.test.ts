import { describe, expect, it } from 'vitest';
import { StoreError, type StoreErrorCode } from '../../../src/core/errors/store-error.js';
import { type Clock, systemClock } from '../../../src/core/platform/time.js';
import { createInsertBatch } from '../../../src/outbox/intake/insert-batch.js';
import type { Enqueued, NewRow } from '../../../src/outbox/store/store.js';
import { newRow as rowOf } from '../../../src/outbox/stores/new-row.js';
import { FakeClock } from '../../support/fake-clock.js';
import { newRow, settledRow } from '../contract/harness.js';

const coded = (code: StoreErrorCode) => new StoreError(code, code);

/** A store that answers as told, and records its calls. */
function storeThat(
  answer: (rows: readonly NewRow[], call: number) => unknown,
  concurrent: boolean,
  clock: Clock = systemClock,
) {
  const asked: string[][] = [];
  const enqueue = async (rows: readonly NewRow[]): Promise<readonly Enqueued[]> => {
    const call = asked.push(rows.map(({ id }) => id));
    await answer(rows, call);
    return rows.map((row, index) => ({ row: rowOf(row, index, 0, false), added: true }));
  };
  return { asked, commit: createInsertBatch({ enqueue, concurrent }, clock) };
}

const codes = async (commits: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(commits)).map((one) =>
    one.status === 'fulfilled' ? 'committed' : (one.reason as { code: string }).code,
  );

describe.each([false, true])('rows that share a commit, in a concurrent store: %s', (concurrent) => {
  it('are committed one by one if one of them is refused', async () => {
    const { asked, commit } = storeThat((rows) => {
      if (rows.some(({ reference }) => reference === 'B-1')) throw coded('text');
    }, concurrent);
    expect(await codes(['B-0', 'B-1', 'B-2'].map((name) => commit(newRow(name))))).toEqual([
      'committed',
      'text',
      'committed',
    ]);
    expect(asked).toHaveLength(4);
  });

  it('are no longer tried one by one once the store gives no answer', async () => {
    const { asked, commit } = storeThat((rows) => {
      throw coded(rows.length > 1 ? 'text' : 'timeout');
    }, concurrent);
    const names = Array.from({ length: 200 }, (_, index) => `B-${index}`);
    expect(new Set(await codes(names.map((name) => commit(newRow(name)))))).toEqual(new Set(['timeout']));
    expect(asked.length).toBeLessThan(10);
  });

  it('refuse the queued rows of the same reference, and no others, if their result is unknown', async () => {
    let fail = () => {};
    const { asked, commit } = storeThat((_, call) => {
      if (call === 1) return new Promise<void>((_resolve, reject) => (fail = () => reject(coded('connection'))));
      return undefined;
    }, concurrent);
    const first = commit(newRow('B-1'));
    await new Promise((resolve) => setImmediate(resolve));
    const behind = [commit(settledRow('B-1')), commit(newRow('B-2'))];
    fail();
    expect(await codes([first, ...behind])).toEqual(['connection', 'connection', 'committed']);
    expect(asked.flat()).not.toContain(settledRow('B-1').id);
    expect(await codes([commit(newRow('B-1'))])).toEqual(['committed']);
  });
});

it('rows of a file that is locked do not wait one after the other: they are refused together', async () => {
  const { asked, commit } = storeThat(() => {
    throw coded('busy');
  }, false);
  expect(await codes(['B-0', 'B-1', 'B-2'].map((name) => commit(newRow(name))))).toEqual(['busy', 'busy', 'busy']);
  expect(asked).toEqual([['B-0', 'B-1', 'B-2'].map((name) => newRow(name).id)]);
});

describe.each([
  [true, 4],
  [false, 1],
])('commits that do not end, in a concurrent store: %s', (concurrent, most) => {
  it(`are at most ${most} at the same time, and later rows wait for them`, async () => {
    const clock = new FakeClock();
    const { asked, commit } = storeThat(() => new Promise(() => {}), concurrent, clock);
    for (let index = 0; index < 6; index += 1) {
      void commit(newRow(`B-${index}`));
      await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 1_000)));
    }
    expect(asked).toHaveLength(most);
  });
});
