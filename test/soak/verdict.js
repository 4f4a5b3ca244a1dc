// Compares the outbox with the gateways' ledgers and journal, report by report.
import { isDeepStrictEqual } from 'node:util';
import { NEEDED_BREAKS, REFUSAL } from './front.js';
import { NEEDED_PHASES } from './phases.js';
import { hashOf, isDoubtful } from './reports.js';

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
 * All broken promises, in words. Each report must be recorded at its own account's gateway, in its own bytes; or it
 * must be quarantined, and the gateway's journal must contain the refusal. One about which a person has second thoughts
 * may be in any state, but is never called other than recorded without doubt while the gateway holds it.
 *
 * @param {{ store: import('location-sdk/outbox').OutboxStore, accepted: ReadonlySet<string>, gateways:
 * Pick<Awaited<ReturnType<typeof import('./licences.js').startGateways>>, 'applied' | 'early' | 'journal' | 'ledger'>
 * }} found
 */
export async function problemsOf({ store, accepted, gateways: { applied, early, journal, ...gateways } }) {
  const ledger = gateways.ledger();
  const problems = [
    ...journal.wrong,
    ...[...early].map((id) => `${id} was sent before its initiated report was accepted`),
  ];
  /** @type {Set<string>} */
  const recorded = new Set();
  /** @type {Set<string>} */
  const quarantined = new Set();
  let alreadyRecorded = 0;
  const decided = { reports: 0, decisions: 0, open: 0, ends: 0, ids: /** @type {Set<string>} */ (new Set()) };
  for await (const row of rowsOf(store)) {
    const { id, state, outcome, problem, body, decisions } = row;
    if (isDoubtful(row)) {
      decided.reports += decisions.length > 0 ? 1 : 0;
      decided.decisions += decisions.length;
      decided.ends += decisions.filter(({ action }) => action === 'dismissed').length;
    }
    if (isDoubtful(row) && state !== 'recorded') {
      decided.ids.add(id);
      decided.open += state === 'dismissed' ? 0 : 1;
      if (ledger.has(id) && !row.inDoubt) problems.push(`${id} is ${state}, but recorded at the gateway`);
    } else if (state === 'recorded') {
      recorded.add(id);
      if (outcome === 'already-recorded') alreadyRecorded += 1;
      if (!ledger.has(id)) problems.push(`${id} is recorded in the outbox, but not at the gateway`);
      else if (!isDeepStrictEqual(JSON.parse(body ?? 'null'), ledger.get(id)))
        problems.push(`${id}: the gateway has other data than the outbox`);
      else if (hashOf(body ?? '') !== journal.hashes.get(id))
        problems.push(`${id} was sent in other bytes than those in the outbox`);
    } else if (state === 'quarantined') {
      quarantined.add(id);
      if (ledger.has(id)) problems.push(`${id} is quarantined, but recorded at the gateway`);
      if (problem?.status !== REFUSAL.status || !journal.refused.has(id))
        problems.push(`${id} is quarantined, and the gateway never refused it: ${problem?.message}`);
    } else problems.push(`${id} is ${state}: ${problem?.message ?? 'without a problem'}`);
  }
  const isHeld = (/** @type {string} */ id) => recorded.has(id) || quarantined.has(id) || decided.ids.has(id);
  for (const id of accepted)
    if (!isHeld(id)) problems.push(`${id} was accepted and is neither recorded nor quarantined`);
  for (const id of ledger.keys())
    if (!isHeld(id)) problems.push(`${id} is recorded at the gateway, but not in the outbox`);
  for (const [id, times] of applied) if (times !== 1) problems.push(`${id} was applied ${times} times`);
  for (const trouble of [...NEEDED_PHASES, ...NEEDED_BREAKS]) {
    if (!journal.struck.has(trouble)) problems.push(`the gateway never answered with "${trouble}": nothing was tested`);
  }
  if (alreadyRecorded === 0) problems.push('no report was found recorded already: nothing was tested');
  if (decided.decisions === 0) problems.push('no person decided about a report: nothing was tested');
  return { problems, recorded, quarantined, decided, alreadyRecorded };
}

/** Prints how often each fault occurred. @param {ReadonlyMap<string, number>} struck */
export function tellTroubles(struck) {
  console.log("soak: the gateways' other answers:");
  for (const [name, times] of [...struck].sort(([a], [b]) => a.localeCompare(b)))
    console.log(`  ${String(times).padStart(6)}  ${name}`);
}

/** Prints the problems and ends, if there are any. @param {readonly string[]} problems */
export function endWith(problems) {
  if (problems.length === 0) return;
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) console.error(`soak: ${problem}`);
  console.error(`soak: ${problems.length} problems`);
  process.exit(1);
}
