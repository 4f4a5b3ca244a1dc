import type { ComponentChildren } from 'preact';
import { ListError } from '../../src/core/platform/csv.js';
import { shownName } from '../../src/core/platform/messages.js';
import { createComparison as createCount, dayOf, isDeclared, proofCsv } from '../../src/core/platform/proof.js';
import { createListReader } from '../../src/core/platform/reference-list.js';
import type { DestinationCounts, Overview } from '../../src/operator/overview.js';
import type { VerifyStep } from '../../src/operator/proof.js';
import type { Reconciled } from '../../src/outbox/receipts/reconcile.js';
import { Badge, Button, Card } from '../kit/parts.js';
import { counted, grouped, OPERATIONS } from '../kit/words.js';
import { call, callLines, messageOf } from './calls.js';
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
  let proof = '';

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
    const where = { environment, account: account.trim() };
    const operations = String(fields.get('operation')).split(' ');
    const comparison = createCount(String(fields.get('day')) || undefined);
    await task.run(async (signal) => {
      found = [];
      const compared: Reconciled[] = [];
      const isFile = file instanceof File && file.name !== '';
      const bytes = await (isFile ? file : new Blob([String(fields.get('list') ?? '')])).arrayBuffer();
      let elsewhere = 0;
      const onElsewhere = () => {
        elsewhere += 1;
      };
      const problems = { onElsewhere, ...(isFile && { onOpenEnd: refuseOpenEnd }) };
      const lists = listsOf(new TextDecoder().decode(bytes), operations, where, problems);
      if (typeof lists === 'string') return task.tell(lists);
      const of = [...lists.values()].reduce((sum, { length }) => sum + length, 0);
      let done = 0;
      for (const [operation, references] of lists)
        for (let from = 0; from < references.length; from += BATCH) {
          const input = { references: references.slice(from, from + BATCH), operation, ...where };
          for await (const one of callLines<Reconciled>('reconcile', input, signal)) {
            done += 1;
            if (comparison.add(one)) compared.push(one);
          }
          task.tell(`${grouped(done)} of ${grouped(of)} compared`, done, of);
        }
      const { receipts } = await call<Overview>('overview');
      const about = { at: Date.now(), list: await hashOf(bytes), account: where.account, head: receipts, elsewhere };
      proof = proofCsv(comparison.facts(about), compared);
      show(compared, { ...comparison.counts, elsewhere });
    });
  }

  function show(compared: readonly Reconciled[], { total, recorded, declared, otherDays, elsewhere }: Counts): void {
    const others = otherDays > 0 ? ` ${counted(otherDays, 'report')} of other days left out.` : '';
    const left = elsewhere > 0 ? ` ${counted(elsewhere, 'receipt')} of other accounts or environments left out.` : '';
    if (total === 0)
      task.tell(
        `The list has no report${others ? ` of this day.${others}` : ': paste references, or choose a file.'}${left}`,
      );
    else if (isEmpty() && compared.every(({ state }) => state === 'never-seen'))
      task.tell(<Badge tone="doubt" words={`${noneWords()} Choose the environment and the account of your list.`} />);
    else {
      found = compared;
      const byPerson = declared > 0 ? ` ${counted(declared, 'one')} declared by a person.` : '';
      const words = `${grouped(recorded)} of ${grouped(total)} are recorded.${byPerson}${others}${left}`;
      task.tell(<Badge tone={recorded === total ? 'ok' : 'bad'} words={words} />);
    }
  }

  return {
    task,
    know,
    content: () => (
      <Card title="Compare with your list">
        <form class="stacked" onSubmit={compare}>
          <div class="inline">
            <ChoiceField label="Operation" name="operation" of={[...Object.entries(OPERATIONS), ...WITH_SETTLEMENTS]} />
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
            <ChoiceField label="Enqueued on (time of Nigeria)" name="day" of={[['', 'any day'], ...lastDays()]} />
          </div>
          <p class="note" role="status">
            {isEmpty() && noneWords()}
          </p>
          <Field label="Your list: a reference a line, or CSV with a column bet_id, request_id or reference">
            <textarea
              name="list"
              rows={5}
              spellcheck={false}
              placeholder={'BET-1\nBET-2\n…'}
              onInput={({ currentTarget }) => empty(currentTarget.form, 'file')}
            />
          </Field>
          <div class="inline">
            <InputField
              label="or a file"
              type="file"
              accept=".csv,.txt,text/csv,text/plain"
              name="file"
              onInput={({ currentTarget }) => empty(currentTarget.form, 'list')}
            />
            <button type="submit" class="primary" disabled={task.isRunning()}>
              Compare
            </button>
          </div>
        </form>
        {task.content('How much of the list is compared')}
        <div>{found.length > 0 && <Compared found={found} proof={proof} />}</div>
      </Card>
    ),
  };
}

/** A count that is not known yet (null) may be any. */
const hasReports = ({ states }: DestinationCounts): boolean => Object.values(states).some((count) => count !== 0);

type Counts = ReturnType<typeof createCount>['counts'] & { readonly elsewhere: number };

const WITH_SETTLEMENTS: readonly (readonly [string, string])[] = [
  ['reportBetEvent reportSettledBet', 'Bet, and its settlement'],
  ['reportWithdrawalEvent reportSettledWithdrawal', 'Withdrawal, and its settlement'],
];

const DAY_MS = 86_400_000;
const NAMED_DAYS = ['today, ', 'yesterday, '];

const lastDays = () =>
  Array.from({ length: 7 }, (_, ago) => {
    const day = dayOf(Date.now() - ago * DAY_MS);
    return [day, `${NAMED_DAYS[ago] ?? ''}${day}`] as const;
  });

/** The references of each operation. If the list has a column `operation`, each line names its own. */
function listsOf(
  text: string,
  operations: readonly string[],
  where: Parameters<typeof createListReader>[0],
  problems: Parameters<typeof createListReader>[1],
): Map<string, string[]> | string {
  const lists = new Map<string, string[]>();
  try {
    const read = createListReader({ ...where, operation: operations[0] }, problems);
    for (const { reference, operation } of read(text, true))
      for (const one of operation === undefined ? operations : [operation])
        lists.get(one)?.push(reference) ?? lists.set(one, [reference]);
  } catch (error) {
    if (error instanceof ListError) return `The list cannot be read: ${error.message}.`;
    throw error;
  }
  return lists;
}

function refuseOpenEnd(): never {
  throw new ListError('its last line does not end with a line break, so it may be cut off; if it is whole, paste it');
}

/** Empties the other one of the two fields, so that what a person sees is what is compared. */
const empty = (form: HTMLFormElement | null, name: 'list' | 'file') =>
  form?.querySelectorAll<HTMLInputElement>(`[name=${name}]`).forEach((field) => {
    field.value = '';
  });

/** A page without HTTPS, on another host than this one, cannot hash. */
const hashOf = async (bytes: ArrayBuffer): Promise<string> =>
  isSecureContext
    ? [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join('')
    : '';

function Compared({ found, proof }: { readonly found: readonly Reconciled[]; readonly proof: string }) {
  const open = found.filter((one) => one.state !== 'recorded' || isDeclared(one));
  return (
    <>
      <ul class="plain">
        {open.slice(0, MOST_SHOWN).map(({ reference, operation, state, outcome, problem }) => (
          <li>
            <span class="mono">{shownName(reference)}</span>
            {` ${OPERATIONS[operation]}: ${[isDeclared({ outcome }) ? outcome : state, problem?.code ?? []].flat().join(', ')}`}
          </li>
        ))}
      </ul>
      {open.length > MOST_SHOWN && (
        <p class="dim">{`And ${counted(open.length - MOST_SHOWN, 'other')}: save the result.`}</p>
      )}
      <Button onClick={() => download(proof)} words="Save as CSV" />
    </>
  );
}

function download(text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = 'reconciled.csv';
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
