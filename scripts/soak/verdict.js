// Compares the outbox with the gateway's ledger, report by report.
import { isDeepStrictEqual } from 'node:util';

const PAGE = 500;
const SHOWN_PROBLEMS = 20;

/** @param {import('location-sdk/outbox').OutboxStore} store */
async function* rowsOf(store) {
  for (let after = 0; ; ) {
    const rows = await store.list({ after, limit: PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (!last) break;
    after = last.sequence;
  }
}

/**
 * Everything that must never happen and did, in words.
 *
 * @param {{ store: import('location-sdk/outbox').OutboxStore, accepted: ReadonlySet<string>, ledger: ReadonlyMap<string, unknown>,
 *   applied: ReadonlyMap<string, number>, early: ReadonlySet<string> }} found
 */
export async function problemsOf({ store, accepted, ledger, applied, early }) {
  const problems = [...early].map((id) => `${id} was sent before its initiated report was accepted`);
  /** @type {Set<string>} */
  const held = new Set();
  let alreadyRecorded = 0;
  for await (const { id, state, outcome, problem, body } of rowsOf(store)) {
    held.add(id);
    if (outcome === 'already-recorded') alreadyRecorded += 1;
    if (state !== 'recorded') problems.push(`${id} is ${state}: ${problem?.message ?? 'no problem is told'}`);
    else if (!ledger.has(id)) problems.push(`${id} is recorded in the outbox, and the gateway does not hold it`);
    else if (!isDeepStrictEqual(JSON.parse(body ?? 'null'), ledger.get(id))) problems.push(`${id}: the gateway holds other data than the outbox`);
  }
  for (const id of accepted) if (!held.has(id)) problems.push(`${id} was accepted and is lost`);
  for (const id of ledger.keys()) if (!held.has(id)) problems.push(`${id} is held by the gateway and not in the outbox`);
  for (const [id, times] of applied) if (times !== 1) problems.push(`${id} was applied ${times} times`);
  return { problems, held, alreadyRecorded };
}

/** Tells the problems and ends, if there are any. @param {readonly string[]} problems */
export function endWith(problems) {
  if (problems.length === 0) return;
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) console.error(`soak: ${problem}`);
  console.error(`soak: ${problems.length} problems`);
  process.exit(1);
}
