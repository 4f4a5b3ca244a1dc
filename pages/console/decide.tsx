import { useEffect, useRef, useState } from 'preact/hooks';
import type { DecideRequest, DecisionProgress } from '../../src/operator/decide.js';
import type { DecisionRecord, Selection } from '../../src/operator/decision-log.js';
import type { Preview } from '../../src/operator/preview.js';
import type { Undone } from '../../src/operator/undo.js';
import { Button, Dialog } from '../kit/parts.js';
import { counted, grouped, operationWords, partOf } from '../kit/words.js';
import { call, messageOf } from './calls.js';
import type { Asked, ConsolePage, Notice } from './view.js';
import { DECISIONS } from './words.js';

/** As the server accepts it. */
const LONGEST_REASON = 2_000;

interface DecisionDialogProps {
  readonly asked: Asked;
  readonly onDecided: (result: Notice | undefined) => void;
  readonly onClosed: () => void;
}

/** After a failure it shows why, and offers to try again. */
export function DecisionDialog({ asked, onDecided, onClosed }: DecisionDialogProps) {
  const { title, text, verb, isFinal, preview, reason: proposed = '', run } = asked;
  // Pressed again after a failure, it is the same decision.
  const [decision] = useState(() => crypto.randomUUID());
  const [said, say] = useState<{ readonly words: string; readonly isBad?: boolean }>();
  const [isRunning, setRunning] = useState(false);
  const [stopping] = useState(() => new AbortController());
  const input = useRef<HTMLTextAreaElement>(null);

  async function submit(event: Event, close: () => void): Promise<void> {
    event.preventDefault();
    if (isRunning) return;
    const reason = input.current?.value.trim() ?? '';
    if (reason === '') {
      say({ words: 'Enter a reason. It is stored with the decision.' });
      input.current?.focus();
      return;
    }
    setRunning(true);
    say(undefined);
    try {
      onDecided(await run({ decision, reason }, (words) => say({ words }), stopping.signal));
      close();
    } catch (error) {
      say({ words: messageOf(error), isBad: true });
    }
    setRunning(false);
  }

  return (
    <Dialog
      title={title}
      text={text}
      onClosed={() => {
        stopping.abort();
        onClosed();
      }}
    >
      {(close) => (
        <form noValidate onSubmit={(event) => submit(event, close)}>
          {preview}
          <label for="reason">Why?</label>
          <textarea
            id="reason"
            rows={2}
            maxLength={LONGEST_REASON}
            required
            aria-describedby="reason-note"
            defaultValue={proposed}
            ref={input}
          />
          <p class="dim" id="reason-note">
            Kept with the reports and in the log of receipts: name no player.
          </p>
          <p class={said?.isBad ? 'said bad' : 'said'} role="status">
            {said?.words}
          </p>
          <div class="row">
            <Button onClick={() => (isRunning ? stopping.abort() : close())} words={isRunning ? 'Stop' : 'Cancel'} />
            <button type="submit" class={isFinal ? 'danger' : 'primary'} disabled={isRunning}>
              {said?.isBad ? 'Try again' : verb}
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

interface PreviewListProps {
  readonly loading: Promise<Preview>;
  readonly onSettlements: (isChosen: boolean) => void;
}

function PreviewList({ loading, onSettlements }: PreviewListProps) {
  const [preview, show] = useState<Preview>();
  const [error, fail] = useState<unknown>();
  useEffect(() => void loading.then(show, fail), [loading]);
  if (error !== undefined) return <p class="said bad">{messageOf(error)}</p>;
  if (!preview) return <p class="dim">Looking what this touches…</p>;
  const { count, operations, inDoubt, examples, refused, unchanged, settlements, areSettlementsVain } = preview;
  const lines = [
    Object.entries(operations)
      .map(([name, many]) => `${grouped(many)} × ${operationWords(name)}`)
      .join(', '),
    examples.length > 0 && `For example ${examples.map(({ reference }) => reference).join(', ')}`,
    inDoubt > 0 && `${counted(inDoubt, 'is', 'are')} in doubt: the gateway may hold them already.`,
    unchanged > 0 && `${counted(unchanged, 'report is', 'reports are')} not touched: ${refused[0]?.why ?? ''}`,
  ];
  return (
    <>
      <ul class="preview">
        <li>
          <b>{counted(count, 'report')}</b>
        </li>
        {lines.filter(Boolean).map((line) => (
          <li>{line}</li>
        ))}
      </ul>
      {settlements > 0 && (
        <label class="choice">
          <input
            type="checkbox"
            defaultChecked={areSettlementsVain}
            onChange={({ currentTarget }) => onSettlements(currentTarget.checked)}
          />
          {`Dismiss also ${counted(settlements, 'waiting settlement')}. Otherwise ${settlements === 1 ? 'it is' : 'they are'} sent then, and a gateway that does not hold the bet or withdrawal answers 404.`}
        </label>
      )}
    </>
  );
}

/** Until all is done or the person stops it. */
async function inParts<Part extends DecisionProgress | Undone>(
  next: () => Promise<Part>,
  tell: (words: string) => void,
  stop: AbortSignal,
): Promise<Part> {
  for (;;) {
    const part = await next();
    tell(`${grouped(part.decision.touched)} done…`);
    if (!part.more || stop.aborted) return part;
  }
}

export function decide(page: ConsolePage, action: DecideRequest['action'], selection: Selection, what: string): void {
  const { verb, text, done } = DECISIONS[action];
  const loading = call<Preview>('preview', { selection, action });
  const isFinal = action === 'recorded';
  let chosen: boolean | undefined;
  page.ask({
    title: `${verb}: ${what}`,
    text,
    verb,
    isFinal,
    preview: (
      <div class="previewed">
        <PreviewList loading={loading} onSettlements={(isChosen) => (chosen = isChosen)} />
      </div>
    ),
    async run(why, tell, stop) {
      const preview = await loading.catch(() => undefined);
      const { asOf, count = 0, settlements = 0, areSettlementsVain = false } = preview ?? {};
      const withSettlements = settlements > 0 && (chosen ?? areSettlementsVain);
      const part = () => call<DecisionProgress>('decide', { ...why, action, selection, asOf, withSettlements });
      const { decision, more } = await inParts(part, tell, stop);
      const { touched, skipped } = decision;
      const selected = ('ids' in selection ? selection.ids.length : count) + (withSettlements ? settlements : 0);
      const all = Math.max(selected, touched + skipped);
      const left = more
        ? '; stopped before the end'
        : all > touched
          ? '; the others had changed, and were not touched'
          : '';
      return {
        text: `${partOf(touched, all)} ${done}${left}.`,
        action: !isFinal && touched > 0 ? { words: 'Undo', run: () => undo(page, decision, why.reason) } : undefined,
      };
    },
  });
}

export const reopen = (page: ConsolePage, id: string, reference: string): void =>
  page.ask({
    title: `Reopen: ${reference}`,
    text: 'It is again as it was before its dismissal, and so is a settlement that was dismissed with it. The log of receipts keeps both decisions.',
    verb: 'Reopen',
    async run(why) {
      const { decision, refused } = await call<DecisionProgress>('reopen', { ...why, id });
      const [left] = refused;
      return { text: left ? `It was not reopened: ${left.why}.` : `${counted(decision.touched, 'report')} reopened.` };
    },
  });

export function undo(page: ConsolePage, of: Pick<DecisionRecord, 'id' | 'action' | 'touched'>, why: string): void {
  const isDismissal = of.action === 'dismissed';
  page.ask({
    title: isDismissal ? `Reopen ${counted(of.touched, 'report')}?` : 'Undo it?',
    text: isDismissal
      ? 'They are again as they were before their dismissal, and so are settlements that were dismissed with them. Reports that were decided about since stay as they are.'
      : 'Reports that no worker has taken since are quarantined again. Those that have left stay as they are.',
    verb: isDismissal ? 'Reopen' : 'Undo',
    reason: isDismissal ? '' : `Undone: ${why}`.slice(0, LONGEST_REASON),
    async run(reason, tell, stop) {
      const { decision, more } = await inParts(() => call<Undone>('undo', { ...reason, of: of.id }), tell, stop);
      const changed = partOf(decision.touched, of.touched);
      const words = isDismissal
        ? `${changed} reopened`
        : `${changed} ${decision.touched === 1 ? 'needs' : 'need'} a person again`;
      const isPart = decision.touched < of.touched;
      const left = more ? '; stopped before the end' : isPart ? '; the others were sent or decided about since' : '';
      return { text: `${words}${left}.` };
    },
  });
}
