import { printable } from '../../core/platform/messages.js';
import { PAUSE_WORDS } from '../../operator/resume.js';
import { readHead } from '../../outbox/receipts/log.js';
import { SHOWN_STATES, type ShownState } from '../../outbox/rules/state-machine.js';
import { readWentBack } from '../../outbox/sending/restored-database.js';
import { toPublicPauses } from '../../outbox/store/public-report.js';
import { type DestinationState, type OutboxStore, scanRows } from '../../outbox/store/store.js';
import { EXIT, say } from '../output.js';
import type { RunCommand } from './options.js';
import { duration, grouped, learnedRate, placeOf, time, wrapped } from './text.js';

const NOTES: Partial<Record<ShownState, string>> = {
  blocked: 'wait for their initiated report',
  quarantined: 'need a person, see below',
};

const SLOW_ATTEMPT_MS = 5_000;

/** Shown where waiting reports are counted. */
export const refusedNote = (refused: number): string =>
  `the gateway refused ${grouped(refused)}; they wait behind a pause, and need a person if their data is wrong`;

export const stats: RunCommand = async ({ store, command, now }, { account, json }) => {
  const accounts = account === undefined ? undefined : [account];
  const { states, refused, oldestOpenAt, attempts } = await store.counts(accounts);
  const head = await readHead(store).catch(() => undefined);
  const outlooks = await store.outlook(accounts);
  const paused = toPublicPauses(outlooks);
  const missingKeys = await store.missingKeys(accounts);
  const wentBackAt = await readWentBack(store.operator);
  const oldestClaimAt = await readOldestClaim(store, account);
  if (json) {
    const destinations = outlooks.map((one) => ({
      account: one.account,
      environment: one.environment,
      gateway: one.gateway,
      rebound: one.rebound,
      learnedRate: learnedRate(one) ?? null,
    }));
    const times = { oldestOpenAt: oldestOpenAt ?? null, oldestClaimAt };
    const rest = {
      attempts,
      missingKeys,
      destinations,
      paused,
      receipts: head ?? null,
      wentBackAt: wentBackAt ?? null,
    };
    say(JSON.stringify({ states, refused, ...times, ...rest }));
    return EXIT.done;
  }
  const width = Math.max(...Object.values(states).map((count) => grouped(count).length));
  for (const state of SHOWN_STATES) {
    const count = grouped(states[state]).padStart(width);
    const note =
      state === 'waiting' && refused > 0 ? refusedNote(refused) : states[state] > 0 ? NOTES[state] : undefined;
    say(`${state.replace('-', ' ').padEnd(12)}${count}${note ? `  ${note}` : ''}`);
  }
  say('');
  if (oldestOpenAt !== undefined)
    say(`The oldest report that is still to be sent was enqueued ${duration(now - oldestOpenAt)} ago.`);
  if (oldestClaimAt !== null && now - oldestClaimAt >= SLOW_ATTEMPT_MS)
    say(
      wrapped(
        `The oldest report in flight was taken ${duration(now - oldestClaimAt)} ago: the gateway does not answer (run check), or its worker has died.`,
        '  ',
      ),
    );
  for (const one of outlooks) {
    say(destinationLine(one));
    const rate = learnedRate(one);
    if (rate !== undefined)
      say(
        wrapped(
          `  At most ${rate} a second for now: the gateway answered 429 at ${time(now - (one.rate?.ageMs ?? 0))}.`,
          '  ',
        ),
      );
  }
  for (const { reason, message, triedAt, since, until, ...scope } of paused) {
    const next = until <= now ? 'due now' : `in ${duration(until - now)}`;
    say(
      wrapped(
        `${placeOf(scope)} is paused (${reason}) since ${time(since)}; the next try is ${next}.${message === undefined ? '' : ` At ${time(triedAt)}: ${printable(message)}`}`,
        '  ',
      ),
    );
    say(wrapped(`  ${PAUSE_WORDS[reason].action}`, '  '));
  }
  if (paused.length === 0) say('No environment is paused.');
  if (wentBackAt !== undefined)
    say(
      `The database had lost commits at ${time(wentBackAt)}: follow the guide for a failover (On call). It begins with\n  ${command} verify --head <the last head that you saved before>`,
    );
  for (const keyId of missingKeys)
    say(
      `The encryption key ${printable(keyId)} was missing when waiting reports were last tried; give it to the outbox.`,
    );
  say(head ? `Receipts: ${grouped(head.count)}, head ${head.hash}` : 'Receipts: none.');
  if (states.quarantined > 0) say(`\nTo see the reports that need a person: ${command} list --state quarantined`);
  return EXIT.done;
};

/** When a worker took the report that is in flight for the longest time. */
async function readOldestClaim(store: OutboxStore, account?: string): Promise<number | null> {
  let oldest: number | null = null;
  for await (const { changedAt } of scanRows(store, { state: 'in-flight', account }))
    oldest = Math.min(oldest ?? changedAt, changedAt);
  return oldest;
}

function destinationLine({ gateway, rebound, ...place }: DestinationState): string {
  const last = rebound.at(-1);
  const change = last ? ` (since ${time(last.at)}, before ${printable(last.from)}: ${printable(last.reason)})` : '';
  return wrapped(`${placeOf(place)} goes to ${printable(gateway)}${change}`, '  ');
}
