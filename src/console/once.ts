import type { Clock } from '../platform/time.js';

const REMEMBERED_MS = 60_000;
const MOST_REMEMBERED = 1_000;

/**
 * Does each thing once: a repetition under the same key is given the first answer, also while that is on its way. It is for calls that the
 * store does not know by a key. A call that fails may be repeated.
 */
export function createOnce(clock: Clock): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const known = new Map<string, { readonly at: number; readonly answer: Promise<unknown> }>();
  return <T>(key: string, work: () => Promise<T>) => {
    for (const [old, { at }] of known) {
      if (clock.now() - at < REMEMBERED_MS && known.size < MOST_REMEMBERED) break;
      known.delete(old);
    }
    const earlier = known.get(key);
    if (earlier) return earlier.answer as Promise<T>;
    const answer = work();
    known.set(key, { at: clock.now(), answer });
    answer.catch(() => known.delete(key));
    return answer;
  };
}
