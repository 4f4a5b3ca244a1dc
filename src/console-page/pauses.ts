import { make } from '../kit/dom.js';
import { markOf } from '../kit/mark.js';
import type { ShownPause } from '../outbox/console/shown-pause.js';
import { askReason } from './decision-dialog.js';
import { call } from './server.js';
import type { Page } from './view.js';
import { duration, operationWords, placeWords, timeWords } from './words.js';

const keyOf = ({ account, environment, operation, since }: ShownPause): string => `${account} ${environment} ${operation ?? ''} ${since}`;

/** The pauses. One that is over keeps its place until the page is opened again, so that nothing moves under the pointer. */
export function createPauses(page: Page) {
  const list = make('ul', { class: 'pauses' });
  const none = make('p', { class: 'dim' }, 'Nothing is paused.');
  const rows = new Map<string, { readonly row: HTMLLIElement; readonly next: HTMLElement; readonly button: HTMLButtonElement | undefined }>();

  function rowOf(pause: ShownPause) {
    const { message, reason, operation } = pause;
    const next = make('span', { class: 'dim' });
    const button = page.session.mayAct ? make('button', { type: 'button', click: () => lift(pause) }, 'Lift…') : undefined;
    const place = `${placeWords(pause)}${operation ? `, ${operationWords(operation)}` : ''}`;
    const mark = make('span', { class: 'tile-mark' });
    mark.append(markOf('doubt'));
    const row = make('li', {}, mark, make('div', {}, make('b', {}, place), make('p', {}, message ?? reason), next), button);
    list.append(row);
    return { row, next, button };
  }

  function lift({ account, environment }: ShownPause): void {
    const decision = crypto.randomUUID();
    askReason({
      title: `Lift the pauses of ${placeWords({ account, environment })}?`,
      text: 'Reports are sent again at once. If the cause is not mended, the next refusals pause it again.',
      verb: 'Lift',
      async run(reason) {
        await call('resume', { decision, account, environment, reason });
        page.notice(`Pauses of ${placeWords({ account, environment })} are lifted.`);
        page.refresh();
      },
    });
  }

  return {
    element: make('section', { class: 'card', 'aria-label': 'Pauses' }, make('h3', {}, 'Pauses'), none, list),
    show(pauses: readonly ShownPause[], now: number): void {
      none.hidden = pauses.length + rows.size > 0;
      const present = new Set(pauses.map(keyOf));
      for (const pause of pauses) {
        const key = keyOf(pause);
        const held = rows.get(key) ?? rowOf(pause);
        rows.set(key, held);
        const until = pause.nextProbeAt > now ? `next probe in ${duration(pause.nextProbeAt - now)}` : 'a probe as soon as a worker is free';
        held.next.textContent = `Since ${timeWords(pause.since, now)}; ${until}${pause.failedProbes > 0 ? `; ${pause.failedProbes} failed in a row` : ''}`;
        held.row.className = '';
        if (held.button) held.button.disabled = false;
      }
      for (const [key, { row, next, button }] of rows) {
        if (present.has(key)) continue;
        row.className = 'over';
        next.textContent = 'Over: reports are sent again.';
        if (button) button.disabled = true;
      }
    },
  };
}
