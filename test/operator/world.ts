import { sha256 } from '../../src/core/platform/hash.js';
import type { OutboxStore } from '../../src/entries/outbox.js';
import type { Operator } from '../../src/operator/operator.js';
import { createOperator } from '../../src/operator/operator.js';
import type { Row } from '../../src/outbox/rules/state-machine.js';
import { claim, type newRow as NewRowOf, newRow, QUARANTINED, read, write } from '../outbox/contract/harness.js';
import { storeWithConsole } from '../outbox/world.js';
import { FakeClock } from '../support/fake-clock.js';

export const BEGAN = 1_795_161_600_000;

/** A store with its console, and a clock that stands still. */
export async function world(store?: OutboxStore) {
  const clock = new FakeClock(BEGAN);
  const made = store ?? (await storeWithConsole(clock.withRealTimers));
  const data: Operator = createOperator({ over: made, command: 'location-sdk outbox bets.db' });
  return { store: made, data, clock };
}

export const idOf = (reference: string) => newRow(reference).id;

/** Enqueues rows as the outbox of another process does. They have the plain hash of a page. */
export const enqueue = async (
  store: OutboxStore,
  references: readonly string[],
  overrides: Parameters<typeof NewRowOf>[1] = {},
) =>
  store.enqueue(
    await Promise.all(
      references.map(async (reference) => {
        const row = newRow(reference, overrides);
        return { ...row, fingerprint: await sha256(row.body) };
      }),
    ),
  );

/** Quarantines new reports with the same problem. */
export async function quarantine(
  store: OutboxStore,
  references: readonly string[],
  said = 'amount must be an integer',
  inDoubt = false,
): Promise<Row[]> {
  await enqueue(store, references);
  for (const row of await claim(store, references.length))
    await write(store, row, {
      ...QUARANTINED,
      inDoubt,
      problem: {
        code: 'unprocessable',
        message: `reportBetEvent ${row.reference}: the gateway refused the report (HTTP 422). The gateway said: "${said}".`,
        status: 422,
        requestId: `req-${row.reference}`,
      },
    });
  return Promise.all(references.map((reference) => read(store, idOf(reference))));
}

/** The same of reports of which an earlier attempt may have arrived. */
export const quarantineInDoubt = (store: OutboxStore, references: readonly string[]): Promise<Row[]> =>
  quarantine(store, references, undefined, true);

let made = 0;

/** A decision by Ada, with its own id. */
export const byAda = () => {
  made += 1;
  return { decision: `decision-of-test-${made}`, who: 'ada', reason: 'the deploy was mended' };
};

/** The only group. */
export async function onlyGroup(data: Operator) {
  const { groups, now } = await data.groups();
  const [group, ...others] = groups;
  if (!group || others.length > 0) throw new Error(`expected one group, got ${groups.length}`);
  const { account, environment, code, words } = group;
  return { group: { account, environment, code, words }, shown: group, asOf: now };
}
