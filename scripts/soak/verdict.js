// Compares the outbox with the gateway's ledger, report by report.
import { isDeepStrictEqual } from 'node:util';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

const PAGE = 500;

/** @param {string} file */
async function* rowsOf(file) {
  const store = await sqliteStore({ file });
  for (let after = 0; ; ) {
    const rows = await store.list({ after, limit: PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (!last) break;
    after = last.sequence;
  }
  await store.close?.();
}

/**
 * Everything that must never happen and did, in words.
 *
 * @param {{ file: string, accepted: ReadonlySet<string>, ledger: ReadonlyMap<string, unknown>, applied: ReadonlyMap<string, number> }} found
 */
export async function problemsOf({ file, accepted, ledger, applied }) {
  const problems = [];
  const held = new Set();
  let alreadyRecorded = 0;
  for await (const { id, state, outcome, problem, body } of rowsOf(file)) {
    held.add(id);
    if (outcome === 'already-recorded') alreadyRecorded += 1;
    if (state !== 'recorded') problems.push(`${id} is ${state}: ${problem?.message ?? 'no problem is told'}`);
    else if (!ledger.has(id)) problems.push(`${id} is recorded in the outbox, and the gateway does not hold it`);
    else if (!isDeepStrictEqual(JSON.parse(body ?? 'null'), ledger.get(id))) problems.push(`${id}: the gateway holds other data than the outbox`);
  }
  for (const id of accepted) if (!held.has(id)) problems.push(`${id} was accepted and is lost`);
  for (const id of ledger.keys()) if (!held.has(id)) problems.push(`${id} is held by the gateway and not in the outbox`);
  for (const [id, times] of applied) if (times !== 1) problems.push(`${id} was applied ${times} times`);
  return { problems, reports: held.size, alreadyRecorded };
}
