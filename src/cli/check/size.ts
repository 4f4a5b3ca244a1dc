import { readKey } from './key.js';
import { ask, describeAttempt, type Run } from './run.js';

const SECTION = 'The size of a body';
const KIB = 1_024;
/** A report has about 1 KiB. */
const SIZES_KIB = [16, 64, 256, 1_024];
const ENOUGH_KIB = 64;

/** The beginning of the labels of these requests. */
export const SIZE_OF_BODY = 'a body of ';

/** A body whose `nin` is not a number, so that nothing is recorded and no person is looked up. */
function bodyOf(kib: number): string {
  const rest = JSON.stringify({ nin: 'check', padding: '' });
  return JSON.stringify({ nin: 'check', padding: 'x'.repeat(kib * KIB - rest.length) });
}

/** Finds the largest body that gets the same answer as a small one. */
export async function checkSize(run: Run): Promise<void> {
  const key = await readKey(run);
  if (key === undefined) return;
  let usual: number | undefined;
  let largest = 0;
  for (const kib of [1, ...SIZES_KIB]) {
    const attempted = await ask(run, `${SIZE_OF_BODY}${kib} KiB`, run.gateway.paths.verifyNin, bodyOf(kib), key);
    const status = attempted.ended === 'answered' ? attempted.status : undefined;
    if (run.signal.aborted || status === 429) return run.tell(SECTION, 'skip', 'the limit', describeAttempt(run, attempted));
    usual ??= status;
    if (status === undefined || status !== usual) {
      const text = `${kib} KiB is refused (${describeAttempt(run, attempted)}), ${largest} KiB is read`;
      return kib > ENOUGH_KIB
        ? run.tell(SECTION, 'ok', 'the limit', text)
        : run.tell(SECTION, 'warn', 'the limit', text, 'a report has about 1 KiB: keep the metadata of bets small');
    }
    largest = kib;
  }
  run.tell(SECTION, 'ok', 'the limit', `${largest} KiB is read; nothing larger was tried`);
}
