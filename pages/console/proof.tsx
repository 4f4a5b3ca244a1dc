import type { ComponentChildren } from 'preact';
import { shownName } from '../../src/core/platform/messages.js';
import type { DestinationCounts, Overview } from '../../src/operator/overview.js';
import type { VerifyStep } from '../../src/operator/proof.js';
import type { Reconciled } from '../../src/outbox/receipts/reconcile.js';
import { Badge, Button, Card } from '../kit/parts.js';
import { counted, grouped, OPERATIONS } from '../kit/words.js';
import { callLines, messageOf } from './calls.js';
import { referencesOf, writeCsv } from './csv.js';
import { ChoiceField, Field, fieldsOf, InputField } from './fields.js';
import { type ConsolePage, createViewElement, type View } from './view.js';
import { placeWords } from './words.js';

export function createProof(page: ConsolePage): View {
  let log: Log = { receipts: null, isLogDamaged: false };
  const { element, draw } = createViewElement('Proof', () => (
    <>
      {verification.content(log)}
      {comparison.content()}
    </>
  ));
  const verification = createVerification(draw);
  const comparison = createComparison(page, draw);
  return {
    element,
    async update(overview) {
      log = overview;
      comparison.know(overview);
      draw();
    },
    close() {
      verification.task.stop();
      comparison.task.stop();
    },
  };
}

function createTask(draw: () => void) {
  let stopping: AbortController | undefined;
  let said: ComponentChildren;
  let [done, of] = [0, 1];

  function tell(what: ComponentChildren, isDone = done, isOf = of): void {
    [said, done, of] = [what, isDone, isOf];
    draw();
  }

  async function run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (stopping) return;
    stopping = new AbortController();
    const { signal } = stopping;
    tell(said, 0, 1);
    try {
      await work(signal);
    } catch (error) {
      said = signal.aborted ? 'Stopped.' : messageOf(error);
    }
    stopping = undefined;
    draw();
  }

  return {
    tell,
    run,
    stop: () => stopping?.abort(),
    isRunning: () => stopping !== undefined,
    content: (label: string) => (
      <>
        <progress max={Math.max(1, of)} value={done} hidden={!stopping} aria-label={label} />
        <p role="status">{said}</p>
      </>
    ),
  };
}

type Log = Pick<Overview, 'receipts' | 'isLogDamaged'>;

function createVerification(draw: () => void) {
  const task = createTask(draw);

  function show(step: VerifyStep): void {
    if (step.kind === 'progress') {
      task.tell(`${grouped(step.done)} of ${counted(step.of, 'entry', 'entries')} checked`, step.done, step.of);
      return;
    }
    const { valid, count, afterHead, break: found } = step.verdict;
    const after = afterHead ? ` ${counted(afterHead, 'entry follows', 'entries follow')} the head that you noted.` : '';
    const whole = `All ${counted(count, 'entry is', 'entries are')} as they were written.${after}`;
    const broken = `Line ${found?.line ?? count + 1}: ${found?.message ?? 'it does not hold together'}`;
    task.tell(<Badge tone={valid ? 'ok' : 'bad'} words={valid ? whole : broken} />);
  }

  async function check(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const noted = fieldsOf(event).get('head');
    await task.run(async (signal) => {
      task.tell('Checking…');
      const input = { head: String(noted ?? '').trim() || undefined };
      for await (const step of callLines<VerifyStep>('verify', input, signal)) show(step);
    });
  }

  return {
    task,
    content: ({ receipts, isLogDamaged }: Log) => (
      <Card title="Log of receipts">
        <p>
          {receipts ? (
            <>
              {`${counted(receipts.count, 'entry', 'entries')}; head `}
              <span class="mono">{receipts.hash}</span>
            </>
          ) : isLogDamaged ? (
            'Its last line is damaged: check the log.'
          ) : (
            'It is empty: no report is final yet.'
          )}
        </p>
        <form class="inline" onSubmit={check}>
          <InputField
            label="Head to find in it"
            type="text"
            name="head"
            spellcheck={false}
            maxLength={64}
            placeholder="a hash that you noted elsewhere"
          />
          <button type="submit" class="primary" disabled={task.isRunning()}>
            Check the log
          </button>
          <Button hidden={!task.isRunning()} onClick={task.stop} words="Stop" />
        </form>
        {task.content('How far the log is checked')}
      </Card>
    ),
  };
}

const BATCH = 2_000;
const MOST_SHOWN = 100;

function createComparison({ session: { accounts } }: ConsolePage, draw: () => void) {
  const task = createTask(draw);
  let environment = 'production';
  let account = accounts?.[0] ?? 'default';
  /** Undefined until they are known. */
  let places: readonly DestinationCounts[] | undefined;
  let found: readonly Reconciled[] = [];

  /** Whether the outbox surely has no report in the chosen place. */
  function isEmpty(): boolean {
    const place = places?.find((one) => one.account === account.trim() && one.environment === environment);
    return places !== undefined && places.length > 0 && !(place && hasReports(place));
  }

  const environments = () =>
    ['production', 'staging', 'relay'].filter(
      (name) => name !== 'relay' || places?.some((one) => one.environment === 'relay'),
    );

  const noneWords = () => `The outbox has no reports in ${placeWords({ account: account.trim(), environment })}.`;

  /** The first overview chooses a place that has reports, production before staging. */
  function know({ destinations }: Overview): void {
    if (places === undefined) {
      const used = destinations.filter(hasReports);
      const chosen = used.find((one) => one.environment === 'production') ?? used[0];
      if (chosen) ({ environment, account } = chosen);
    }
    places = destinations;
  }

  async function compare(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const fields = fieldsOf(event);
    const file = fields.get('file');
    const where = { operation: String(fields.get('operation')), environment, account: account.trim() };
    await task.run(async (signal) => {
      found = [];
      const compared: Reconciled[] = [];
      const isFile = file instanceof File && file.name !== '';
      const references = referencesOf(isFile ? await file.text() : String(fields.get('list') ?? ''));
      for (let from = 0; from < references.length; from += BATCH) {
        const input = { references: references.slice(from, from + BATCH), ...where };
        for await (const one of callLines<Reconciled>('reconcile', input, signal)) compared.push(one);
        const said = `${grouped(compared.length)} of ${grouped(references.length)} compared`;
        task.tell(said, compared.length, references.length);
      }
      show(compared);
    });
  }

  function show(compared: readonly Reconciled[]): void {
    const recorded = compared.length - compared.filter(isOpen).length;
    if (compared.length === 0) task.tell('The list is empty: paste references, or choose a file.');
    else if (isEmpty() && compared.every(({ state }) => state === 'never-seen'))
      task.tell(<Badge tone="doubt" words={`${noneWords()} Choose the environment and the account of your list.`} />);
    else {
      found = compared;
      const tone = recorded === compared.length ? 'ok' : 'bad';
      task.tell(<Badge tone={tone} words={`${grouped(recorded)} of ${grouped(compared.length)} are recorded.`} />);
    }
  }

  return {
    task,
    know,
    content: () => (
      <Card title="Compare with your list">
        <form class="stacked" onSubmit={compare}>
          <div class="inline">
            <ChoiceField label="Operation" name="operation" of={Object.entries(OPERATIONS)} />
            <ChoiceField
              label="Environment"
              name="environment"
              of={environments().map((name) => [name, name])}
              value={environment}
              onInput={({ currentTarget }) => {
                environment = currentTarget.value;
                draw();
              }}
            />
            <InputField
              label="Account"
              type="text"
              name="account"
              maxLength={100}
              value={account}
              onInput={({ currentTarget }) => {
                account = currentTarget.value;
                draw();
              }}
            />
          </div>
          <p class="note" role="status">
            {isEmpty() && noneWords()}
          </p>
          <Field label="Your list: a reference a line, or CSV with a column bet_id, request_id or reference">
            <textarea name="list" rows={5} spellcheck={false} placeholder={'BET-1\nBET-2\n…'} />
          </Field>
          <div class="inline">
            <InputField label="or a file" type="file" accept=".csv,.txt,text/csv,text/plain" name="file" />
            <button type="submit" class="primary" disabled={task.isRunning()}>
              Compare
            </button>
          </div>
        </form>
        {task.content('How much of the list is compared')}
        <div>{found.length > 0 && <Compared found={found} />}</div>
      </Card>
    ),
  };
}

/** A count that is not known yet (null) may be any. */
const hasReports = ({ states }: DestinationCounts): boolean => Object.values(states).some((count) => count !== 0);

const isOpen = ({ state }: Reconciled): boolean => state !== 'recorded';

function Compared({ found }: { readonly found: readonly Reconciled[] }) {
  const open = found.filter(isOpen);
  return (
    <>
      <ul class="plain">
        {open.slice(0, MOST_SHOWN).map(({ reference, state, problem }) => (
          <li>
            <span class="mono">{shownName(reference)}</span>
            {` ${state}${problem ? `, ${problem.code}` : ''}`}
          </li>
        ))}
      </ul>
      {open.length > MOST_SHOWN && (
        <p class="dim">{`And ${counted(open.length - MOST_SHOWN, 'other')}: save the result.`}</p>
      )}
      <Button onClick={() => download(found)} words="Save as CSV" />
    </>
  );
}

function download(found: readonly Reconciled[]): void {
  const rows = found.map(({ reference, operation, environment, state, outcome, problem }) => [
    reference,
    operation,
    environment,
    state,
    outcome ?? '',
    problem?.code ?? '',
  ]);
  const text = writeCsv([['reference', 'operation', 'environment', 'state', 'outcome', 'problem'], ...rows]);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = 'reconciled.csv';
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
