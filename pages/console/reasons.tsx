import { useRef } from 'preact/hooks';
import type { Overview } from '../../src/operator/overview.js';
import type { Resumed, ShownPause } from '../../src/operator/resume.js';
import { Button, Mark } from '../kit/parts.js';
import { counted, operationWords } from '../kit/words.js';
import { call } from './calls.js';
import type { ConsolePage } from './view.js';
import { duration, placeWords, timeWords } from './words.js';

export interface Reason {
  readonly key: string;
  /** `bad`: only a person can end it. `doubt`: it may end by itself. */
  readonly tone: 'bad' | 'doubt';
  readonly place: string;
  readonly words: string;
  /** The words of the gateway or of the error, with the time. */
  readonly said?: string | null;
  readonly action?: string;
  readonly pause?: ShownPause;
}

const MINUTE_MS = 60_000;

export function reasonsOf({ pauses, missingKeys, otherGateways, isLogDamaged, destinations, now }: Overview): Reason[] {
  const known: Reason[] = [
    ...pauses.map((pause): Reason => {
      const { account, environment, operation, message, triedAt, since, needsPerson, cause, action } = pause;
      const place = `${placeWords(pause)}${operation ? `, ${operationWords(operation)}` : ''}`;
      return {
        key: `${account} ${environment} ${operation ?? ''} ${since}`,
        place,
        tone: needsPerson ? 'bad' : 'doubt',
        words: cause,
        action,
        said: message && `${timeWords(triedAt, now)}: ${message}`,
        pause,
      };
    }),
    ...otherGateways.map(
      (one): Reason => ({
        key: `gateway ${one.account} ${one.environment}`,
        tone: 'bad',
        place: placeWords(one),
        words: one.message,
      }),
    ),
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
    missingKeys.length > 0 ||
    [...pauses, ...otherGateways].some((one) => one.account === place.account && one.environment === place.environment);
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
        action:
          'Check that a worker runs: a process that called outbox.start(). If one runs, search for a waiting report: its problem says why.',
      }),
    ),
  ];
}

/** Reports to decide, and what stops reports until a person acts. */
export const needsOf = (overview: Overview): number => overview.states.quarantined + stopsIn(reasonsOf(overview));

export const stopsIn = (reasons: readonly Reason[]): number => reasons.filter(({ tone }) => tone === 'bad').length;

function resume(page: ConsolePage, { account, environment, reason }: ShownPause): void {
  const where = placeWords({ account, environment });
  page.ask({
    title: `Resume ${where}?`,
    text: `Reports are sent again at once${reason === 'refusals' ? ', except those that the gateway refused: they are quarantined, and can be corrected' : ''}. Do it after the cause is mended: otherwise the next refusals pause it again.`,
    verb: 'Resume',
    async run(why) {
      const { pauses } = await call<Resumed>('resume', { ...why, account, environment });
      const quarantined = pauses.reduce((sum, pause) => sum + pause.quarantined, 0);
      const refused =
        quarantined > 0
          ? ` ${counted(quarantined, 'refused report is', 'refused reports are')} quarantined: correct or retry ${quarantined === 1 ? 'it' : 'them'} below.`
          : '';
      return { text: `The pauses of ${where} are ended.${refused}` };
    },
  });
}

interface ReasonsProps {
  readonly page: ConsolePage;
  readonly present: readonly Reason[];
  readonly now: number;
}

/** New ones come below those that it shows. One that is over stays, so that nothing moves under the pointer. */
export function Reasons({ page, present, now }: ReasonsProps) {
  const { current: seen } = useRef(new Map<string, Reason>());
  for (const reason of present) seen.set(reason.key, reason);
  return (
    <section class="card" aria-label="Why reports wait" hidden={seen.size === 0}>
      <h3>Why reports wait</h3>
      <ul class="pauses">
        {[...seen.values()].map((reason) => {
          const { key, tone, place, words, said, action, pause } = reason;
          const isOver = !present.includes(reason);
          return (
            <li key={key} class={isOver ? 'over' : ''}>
              <Mark tone={tone} />
              <div>
                <b>{place}</b>
                <p>{words}</p>
                {action && (
                  <p>
                    <b>Do: </b>
                    {action}
                  </p>
                )}
                {said && <p class="dim">{said}</p>}
                <p class="dim">{isOver ? 'This is over.' : pause && nextOf(pause, now)}</p>
              </div>
              {pause && page.session.mayAct && (
                <Button disabled={isOver} onClick={() => resume(page, pause)} words="Resume…" />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function nextOf({ since, nextProbeAt, failedProbes }: ShownPause, now: number): string {
  const probe =
    nextProbeAt > now ? `next probe in ${duration(nextProbeAt - now)}` : 'a probe as soon as a worker is free';
  return `Paused since ${timeWords(since, now)}; ${probe}${failedProbes > 0 ? `; ${failedProbes} failed in a row` : ''}. The first probe that is recorded ends the pause.`;
}
