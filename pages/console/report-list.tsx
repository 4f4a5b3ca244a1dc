import type { ComponentChildren } from 'preact';
import type { ReportSummary } from '../../src/operator/reports.js';
import type { SearchPage } from '../../src/operator/search.js';
import { Row } from '../kit/list.js';
import { Button } from '../kit/parts.js';
import { operationWords } from '../kit/words.js';
import { reportHash } from './addresses.js';
import { call } from './calls.js';
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
}

export function createReportList(filter: object, draw: () => void) {
  let reports: readonly ReportSummary[] = [];
  let next: string | null = null;

  async function read(isAnew = true): Promise<void> {
    const answer = await call<SearchPage>('search', { ...filter, cursor: isAnew ? null : next });
    reports = isAnew ? answer.reports : [...reports, ...answer.reports];
    next = answer.next;
    draw();
  }

  const content = ({ before, ...row }: ListOptions) => (
    <>
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
      <Button class="quiet" words="Show more" hidden={next === null} onClick={() => void read(false)} />
    </>
  );

  return { read, content, isEmpty: () => reports.length === 0 };
}
