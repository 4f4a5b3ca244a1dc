import type { ComponentChildren } from 'preact';
import type { ReportSummary } from '../../src/operator/reports.js';
import type { SearchPage } from '../../src/operator/search.js';
import { Row } from '../kit/list.js';
import { announce } from '../kit/page.js';
import { Button } from '../kit/parts.js';
import { grouped, operationWords } from '../kit/words.js';
import { reportHash } from './addresses.js';
import { call, createTurns } from './calls.js';
import { InputField } from './fields.js';
import { ErrorState } from './view.js';
import { placeWords, statusOf, timeWords } from './words.js';

interface ReportRowProps {
  readonly report: ReportSummary;
  readonly now: number;
  /** In a list of its group: leaves out what all of its reports have in common. */
  readonly isInGroup?: boolean;
}

export function ReportRow({ report, now, isInGroup = false }: ReportRowProps) {
  const { reference, operation, state, inDoubt, enqueuedAt, problem } = report;
  const { tone, words } = statusOf(state);
  return (
    <Row tone={tone} title={reference} end={<time>{timeWords(enqueuedAt, now)}</time>}>
      <span>{operationWords(operation)}</span>
      {!isInGroup && <span class={tone}>{words}</span>}
      {!isInGroup && state !== 'recorded' && problem && <span>{problem.code}</span>}
      {inDoubt && <span class="doubt">in doubt</span>}
      {!isInGroup && <span class="tag">{placeWords(report)}</span>}
    </Row>
  );
}

interface ListOptions extends Omit<ReportRowProps, 'report'> {
  /** Stands before the row of a report. */
  readonly before?: ((report: ReportSummary) => ComponentChildren) | undefined;
  /** The number of reports of the list, to begin with any of them. */
  readonly count?: number;
}

/** As many as the server gives at once. */
const PAGE = 50;

export function createReportList(filter: object, draw: () => void) {
  let reports: readonly ReportSummary[] = [];
  let next: string | null = null;
  let begin = 1;
  let failed: { readonly error: unknown; readonly again: () => void } | undefined;
  const inTurn = createTurns();

  const read = (from = 1) =>
    inTurn(async () => {
      const answer = await call<SearchPage>('search', { ...filter, skip: from - 1 });
      begin = from;
      ({ reports, next } = answer);
      failed = undefined;
      draw();
    });

  const readMore = () =>
    inTurn(async () => {
      if (next === null) return;
      const answer = await call<SearchPage>('search', { ...filter, cursor: next });
      reports = [...reports, ...answer.reports];
      next = answer.next;
      draw();
    });

  /** Its error stands below the list until the next press. */
  async function press(work: () => Promise<void>): Promise<void> {
    failed = undefined;
    await work().catch((error: unknown) => {
      failed = { error, again: () => void press(work) };
    });
    draw();
  }

  function go(event: SubmitEvent, count: number): void {
    event.preventDefault();
    const from = Math.min(count, Math.max(1, Math.trunc(begin) || 1));
    void press(async () => {
      await read(from);
      announce(`From report ${from} of ${count}`);
    });
  }

  const content = ({ before, count = 0, ...row }: ListOptions) => (
    <>
      {count > PAGE && (
        <form class="inline jump" onSubmit={(event) => go(event, count)}>
          <InputField
            label={`Begin with number (of ${grouped(count)})`}
            type="number"
            name="begin"
            min={1}
            max={count}
            value={begin}
            onInput={({ currentTarget }) => (begin = currentTarget.valueAsNumber)}
          />
          <button type="submit">Go</button>
        </form>
      )}
      <ul class="list select">
        {reports.map((report) => (
          <li key={report.id}>
            {before?.(report)}
            <a class="row-link" href={reportHash(report.id)}>
              <ReportRow report={report} {...row} />
            </a>
          </li>
        ))}
      </ul>
      <Button class="quiet" words="Show more" hidden={next === null} onClick={() => void press(readMore)} />
      {failed && <ErrorState {...failed} />}
    </>
  );

  return { read, content, isEmpty: () => reports.length === 0 };
}
