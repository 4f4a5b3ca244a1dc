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
  const facts = await readFacts(store, account);
  if (json) say(inJson(facts));
  else print(facts, command, now);
  return EXIT.done;
};

type Facts = Awaited<ReturnType<typeof readFacts>>;

async function readFacts(store: OutboxStore, account: string | undefined) {
  const accounts = account === undefined ? undefined : [account];
  const counts = await store.counts(accounts);
  const head = await readHead(store).catch(() => undefined);
  const outlooks = await store.outlook(accounts);
  return {
    ...counts,
    head,
    outlooks,
    paused: toPublicPauses(outlooks),
    missingKeys: await store.missingKeys(accounts),
    wentBackAt: await readWentBack(store.operator),
    oldestClaimAt: await readOldestClaim(store, account),
  };
}

function inJson({ states, refused, attempts, missingKeys, outlooks, paused, head, ...at }: Facts): string {
  const destinations = outlooks.map((one) => ({
    account: one.account,
    environment: one.environment,
    gateway: one.gateway,
    rebound: one.rebound,
    learnedRate: learnedRate(one) ?? null,
  }));
  const times = { oldestOpenAt: at.oldestOpenAt ?? null, oldestClaimAt: at.oldestClaimAt };
  const rest = {
    attempts,
    missingKeys,
    destinations,
    paused,
    receipts: head ?? null,
    wentBackAt: at.wentBackAt ?? null,
  };
  return JSON.stringify({ states, refused, ...times, ...rest });
}

function print(facts: Facts, command: string, now: number): void {
  const { states, outlooks, paused, wentBackAt, head } = facts;
  printCounts(facts);
  say('');
  printOldest(facts, now);
  for (const one of outlooks) printDestination(one, now);
  for (const one of paused) printPause(one, now);
  if (paused.length === 0) say('No environment is paused.');
  if (wentBackAt !== undefined)
    say(
      `The database had lost commits at ${time(wentBackAt)}: follow the guide for a failover (On call). It begins with\n  ${command} verify --head <the last head that you saved before>`,
    );
  for (const keyId of facts.missingKeys)
    say(
      `The encryption key ${printable(keyId)} was missing when waiting reports were last tried; give it to the outbox.`,
    );
  say(head ? `Receipts: ${grouped(head.count)}, head ${head.hash}` : 'Receipts: none.');
  if (states.quarantined > 0) say(`\nTo see the reports that need a person: ${command} list --state quarantined`);
}

function printCounts({ states, refused }: Facts): void {
  const width = Math.max(...Object.values(states).map((count) => grouped(count).length));
  for (const state of SHOWN_STATES) {
    const count = grouped(states[state]).padStart(width);
    const note =
      state === 'waiting' && refused > 0 ? refusedNote(refused) : states[state] > 0 ? NOTES[state] : undefined;
    say(`${state.replace('-', ' ').padEnd(12)}${count}${note ? `  ${note}` : ''}`);
  }
}

function printOldest({ oldestOpenAt, oldestClaimAt }: Facts, now: number): void {
  if (oldestOpenAt !== undefined)
    say(`The oldest report that is still to be sent was enqueued ${duration(now - oldestOpenAt)} ago.`);
  if (oldestClaimAt !== null && now - oldestClaimAt >= SLOW_ATTEMPT_MS)
    say(
      wrapped(
        `The oldest report in flight was taken ${duration(now - oldestClaimAt)} ago: the gateway does not answer (run check), or its worker has died.`,
        '  ',
      ),
    );
}

function printDestination(one: DestinationState, now: number): void {
  const { gateway, rebound, ...place } = one;
  const last = rebound.at(-1);
  const change = last ? ` (since ${time(last.at)}, before ${printable(last.from)}: ${printable(last.reason)})` : '';
  say(wrapped(`${placeOf(place)} goes to ${printable(gateway)}${change}`, '  '));
  const rate = learnedRate(one);
  if (rate === undefined) return;
  const at = time(now - (one.rate?.ageMs ?? 0));
  say(wrapped(`  At most ${rate} a second for now: the gateway answered 429 at ${at}.`, '  '));
}

function printPause({ reason, message, triedAt, since, until, ...scope }: Facts['paused'][number], now: number): void {
  const next = until <= now ? 'due now' : `in ${duration(until - now)}`;
  const words = message === undefined ? '' : ` At ${time(triedAt)}: ${printable(message)}`;
  say(wrapped(`${placeOf(scope)} is paused (${reason}) since ${time(since)}; the next try is ${next}.${words}`, '  '));
  say(wrapped(`  ${PAUSE_WORDS[reason].action}`, '  '));
}

/** When a worker took the report that is in flight for the longest time. */
async function readOldestClaim(store: OutboxStore, account?: string): Promise<number | null> {
  let oldest: number | null = null;
  for await (const { changedAt } of scanRows(store, { state: 'in-flight', account }))
    oldest = Math.min(oldest ?? changedAt, changedAt);
  return oldest;
}
