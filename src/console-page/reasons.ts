import { make } from '../kit/dom.js';
import { markOf } from '../kit/mark.js';
import type { Overview } from '../outbox/console/overview.js';
import type { ShownPause } from '../outbox/console/shown-pause.js';
import { askReason } from './decision-dialog.js';
import { call } from './server.js';
import type { Page } from './view.js';
import { counted, duration, operationWords, placeWords, timeWords } from './words.js';

/** Why reports wait. */
export interface Reason {
  readonly key: string;
  /** `bad`: only a person can end it. `doubt`: it may end by itself. */
  readonly tone: 'bad' | 'doubt';
  readonly place: string;
  /** The event that stopped them. */
  readonly words: string;
  /** The words of the gateway or of the error. */
  readonly said?: string | null;
  /** The next step of a person. */
  readonly action?: string;
  readonly pause?: ShownPause;
}

const MINUTE_MS = 60_000;

/** Every reason for which reports wait that the overview shows. */
export function reasonsOf({ pauses, missingKeys, otherGateways, isLogDamaged, destinations, now }: Overview): Reason[] {
  const known: Reason[] = [
    ...pauses.map((pause): Reason => {
      const { account, environment, operation, message, since, needsPerson, cause, action } = pause;
      const place = `${placeWords(pause)}${operation ? `, ${operationWords(operation)}` : ''}`;
      return {
        key: `${account} ${environment} ${operation ?? ''} ${since}`,
        place,
        tone: needsPerson ? 'bad' : 'doubt',
        words: cause,
        action,
        said: message,
        pause,
      };
    }),
    ...otherGateways.map((one): Reason => ({ key: `gateway ${one.account} ${one.environment}`, tone: 'bad', place: placeWords(one), words: one.message })),
    ...missingKeys.map(
      (id): Reason => ({
        key: `key ${id}`,
        tone: 'bad',
        place: `Encryption key ${id}`,
        words: 'Reports that were encrypted with this key wait, since no process that tried them has it.',
        action: 'Add the key under this name to encryption.keys of every process that sends, and restart it.',
      }),
    ),
  ];
  if (isLogDamaged)
    known.push({
      key: 'log',
      tone: 'bad',
      place: 'Log of receipts',
      words: 'Its last line is damaged. Reports are sent, but no receipt is added.',
      action: 'Run "npx location-sdk outbox <store> verify", and restore the log from a backup.',
    });
  const isExplained = (place: { readonly account: string; readonly environment: string }) =>
    missingKeys.length > 0 || [...pauses, ...otherGateways].some((one) => one.account === place.account && one.environment === place.environment);
  const silent = destinations.filter(({ states, oldestOpenAt, recordedAt, ...place }) => {
    const isOld = states.waiting + states['in-flight'] > 0 && oldestOpenAt !== null && now - oldestOpenAt > MINUTE_MS;
    return isOld && (recordedAt === null || now - recordedAt > 2 * MINUTE_MS) && !isExplained(place);
  });
  return [
    ...known,
    ...silent.map(
      ({ states, ...place }): Reason => ({
        key: `silent ${place.account} ${place.environment}`,
        tone: 'doubt',
        place: placeWords(place),
        words: `${counted(states.waiting + states['in-flight'], 'report waits', 'reports wait')}, and none was recorded for more than a minute.`,
        action: 'Check that a worker runs: a process that called outbox.start(). If one runs, search for a waiting report: its problem says why.',
      }),
    ),
  ];
}

/** The number of things that need a person: reports to decide, and what stops reports until a person acts. */
export const needsOf = (overview: Overview): number => overview.states.quarantined + stopsIn(reasonsOf(overview));

export const stopsIn = (reasons: readonly Reason[]): number => reasons.filter(({ tone }) => tone === 'bad').length;

/** The list of reasons. One that is over keeps its place until the page is opened again, so that nothing moves under the pointer. */
export function createReasons(page: Page) {
  const list = make('ul', { class: 'pauses' });
  const element = make('section', { class: 'card', 'aria-label': 'Why reports wait', hidden: true }, make('h3', {}, 'Why reports wait'), list);
  const rows = new Map<
    string,
    { readonly row: HTMLLIElement; readonly words: HTMLElement; readonly next: HTMLElement; readonly button: HTMLButtonElement | undefined }
  >();

  function rowOf({ tone, place, said, action, pause }: Reason) {
    const [words, next] = [make('p'), make('p', { class: 'dim' })];
    const button = pause && page.session.mayAct ? make('button', { type: 'button', click: () => lift(pause) }, 'Lift…') : undefined;
    const mark = make('span', { class: 'tile-mark' });
    mark.append(markOf(tone));
    const row = make(
      'li',
      {},
      mark,
      make('div', {}, make('b', {}, place), words, action && make('p', {}, make('b', {}, 'Do: '), action), said && make('p', { class: 'dim' }, said), next),
      button,
    );
    list.append(row);
    return { row, words, next, button };
  }

  function lift({ account, environment }: ShownPause): void {
    const decision = crypto.randomUUID();
    askReason({
      title: `Lift the pauses of ${placeWords({ account, environment })}?`,
      text: 'Reports are sent again at once. Do it after the cause is mended: otherwise the next refusals pause it again.',
      verb: 'Lift',
      async run(reason) {
        await call('resume', { decision, account, environment, reason });
        page.notice(`Pauses of ${placeWords({ account, environment })} are lifted.`);
        page.refresh();
      },
    });
  }

  return {
    element,
    show(reasons: readonly Reason[], now: number): void {
      const present = new Set(reasons.map(({ key }) => key));
      for (const reason of reasons) {
        const held = rows.get(reason.key) ?? rowOf(reason);
        rows.set(reason.key, held);
        held.words.textContent = reason.words;
        held.next.textContent = reason.pause ? nextOf(reason.pause, now) : '';
        held.row.className = '';
        if (held.button) held.button.disabled = false;
      }
      for (const [key, { row, next, button }] of rows) {
        if (present.has(key)) continue;
        row.className = 'over';
        next.textContent = 'This is over.';
        if (button) button.disabled = true;
      }
      element.hidden = rows.size === 0;
    },
  };
}

function nextOf({ since, nextProbeAt, failedProbes }: ShownPause, now: number): string {
  const probe = nextProbeAt > now ? `next probe in ${duration(nextProbeAt - now)}` : 'a probe as soon as a worker is free';
  return `Paused since ${timeWords(since, now)}; ${probe}${failedProbes > 0 ? `; ${failedProbes} failed in a row` : ''}. The first probe that is recorded ends the pause.`;
}
