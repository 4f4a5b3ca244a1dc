import { asRecord } from '../../../platform/as-record.js';
import { systemClock } from '../../../platform/time.js';
import type { PgBossLike } from './options.js';

/** The SQLSTATEs of a deadlock, a transaction conflict, and an object that another instance has just made. */
const OVERTAKEN: readonly unknown[] = ['40P01', '40001', '23505', '42P07'];
const MOST_TRIES = 6;
const FIRST_WAIT_MS = 20;

/** Makes the queue if it does not exist. Tries again, since several instances that start at once may conflict. */
export async function makeQueue(boss: Pick<PgBossLike, 'createQueue'>, queue: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await boss.createQueue(queue);
      return;
    } catch (error) {
      if (tries === MOST_TRIES || !OVERTAKEN.includes(asRecord(error).code)) throw error;
    }
    await new Promise<void>((resolve) => systemClock.setTimeout(resolve, FIRST_WAIT_MS * 2 ** tries * (0.5 + Math.random() / 2)));
  }
}
