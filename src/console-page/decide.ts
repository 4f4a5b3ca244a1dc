import { make } from '../kit/dom.js';
import type { DecideRequest, DecisionProgress, Preview, Selection, Undone } from '../outbox/console/decisions.js';
import { askReason } from './decision-dialog.js';
import { call, messageOf } from './server.js';
import type { Page } from './view.js';
import { counted, grouped, operationWords, VERBS } from './words.js';

type Action = DecideRequest['action'];

const TEXTS: Readonly<Record<Action, string>> = {
  retry: 'The same bytes are sent again. You can undo it until a worker takes them.',
  recorded: 'You say that the gateway holds it. This is final and stands in the log of receipts.',
  dismissed: 'It is never sent. This is final and stands in the log of receipts.',
};

const DONE: Readonly<Record<Action, (many: string) => string>> = {
  retry: (many) => `${many} to be sent again`,
  recorded: (many) => `${many} declared recorded`,
  dismissed: (many) => `${many} dismissed`,
};

/** Shows the reports that a decision would touch. */
function previewOf(preview: Preview): HTMLElement {
  const { count, operations, inDoubt, examples, refused, settlements } = preview;
  const lines = [
    Object.entries(operations)
      .map(([name, many]) => `${grouped(many)} × ${operationWords(name)}`)
      .join(', '),
    count > 0 && `For example ${examples.map(({ reference }) => reference).join(', ')}`,
    inDoubt > 0 && `${counted(inDoubt, 'is', 'are')} in doubt: the gateway may hold them already.`,
    settlements > 0 && `${counted(settlements, 'settlement waits for them and is', 'settlements wait for them and are')} sent then.`,
    refused.length > 0 && `${counted(refused.length, 'report is', 'reports are')} not touched: ${refused[0]?.why ?? ''}`,
  ];
  return make(
    'ul',
    { class: 'preview' },
    make('li', {}, make('b', {}, counted(count, 'report'))),
    ...lines.filter(Boolean).map((line) => make('li', {}, line || '')),
  );
}

/** Shows what a decision would touch, asks why, and carries it out to its end. */
export function decide(page: Page, action: Action, selection: Selection, what: string): void {
  const decision = crypto.randomUUID();
  const place = make('div', { class: 'previewed' }, make('p', { class: 'dim' }, 'Looking what this touches…'));
  let asOf: number | undefined;
  call<Preview>('preview', { selection, action }).then(
    (preview) => {
      ({ asOf } = preview);
      place.replaceChildren(previewOf(preview));
    },
    (error: unknown) => place.replaceChildren(make('p', { class: 'said bad' }, messageOf(error))),
  );
  askReason({
    title: `${VERBS[action]}: ${what}`,
    text: TEXTS[action],
    verb: VERBS[action],
    isFinal: action !== 'retry',
    more: [place],
    async run(reason, tell, stop) {
      let progress: DecisionProgress;
      do {
        progress = await call<DecisionProgress>('decide', { decision, action, selection, reason, asOf });
        tell(`${grouped(progress.decision.touched)} done…`);
      } while (progress.more && !stop.aborted);
      const { touched, skipped } = progress.decision;
      const left = progress.more ? '; stopped before the end' : '';
      const kept = skipped > 0 ? `; ${counted(skipped, 'was', 'were')} not touched, since they had changed` : '';
      const words = `${DONE[action](counted(touched, 'report'))}${kept}${left}.`;
      page.notice(words, action === 'retry' && touched > 0 ? { words: 'Undo', run: () => undo(page, decision, reason) } : undefined);
      page.refresh();
    },
  });
}

/** Undoes a decision about the reports that no worker has taken since. */
export function undo(page: Page, of: string, why: string): void {
  const decision = crypto.randomUUID();
  askReason({
    title: 'Undo it?',
    text: 'Reports that no worker has taken since are quarantined again. Those that have left stay as they are.',
    verb: 'Undo',
    reason: `Undone: ${why}`.slice(0, 2_000),
    async run(reason, tell, stop) {
      let undone: Undone;
      do {
        undone = await call<Undone>('undo', { decision, of, reason });
        tell(`${grouped(undone.decision.touched)} done…`);
      } while (undone.more && !stop.aborted);
      const { claimed, otherwise } = undone.kept;
      const kept = claimed + otherwise > 0 ? ` ${counted(claimed + otherwise, 'report stays', 'reports stay')} as they are: they had left already.` : '';
      page.notice(`${counted(undone.decision.touched, 'report needs', 'reports need')} a person again.${kept}`);
      page.refresh();
    },
  });
}
