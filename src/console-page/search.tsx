import { ButtonList } from '../kit/list.js';
import { EmptyState } from '../kit/parts.js';
import { OPERATIONS } from '../kit/words.js';
import type { ReportSummary } from '../outbox/operator/reports.js';
import type { SearchPage } from '../outbox/operator/search.js';
import { createFinder, SearchField, TimeFields } from './finder.js';
import { Field, Options, type Page, reportHash, reportItem, type View } from './view.js';
import { OUTBOX_ENVIRONMENTS, states } from './words.js';

export const createSearch = (page: Page): View =>
  createFinder<SearchPage, ReportSummary>({
    title: 'Search',
    name: 'search',
    cursor: 'cursor',
    fields: <Fields />,
    verb: 'Search',
    more: 'Show more',
    itemsOf: ({ reports }) => reports,
    content: (found, now, isNone) => (
      <>
        {isNone && (
          <EmptyState title="No report fits">
            <p>A reference is searched for as a whole. Leave out what you are not sure of.</p>
          </EmptyState>
        )}
        <ButtonList
          items={found.map((report) => reportItem(report, now))}
          onSelect={(key) => page.go(reportHash(key))}
        />
      </>
    ),
  });

const ALL = ['', 'all'] as const;

const Fields = () => (
  <>
    <SearchField label="Reference or id" name="text" placeholder="bet_id, request_id or id" maxLength={500} />
    <Field label="State">
      <select name="state">
        <Options of={[ALL, ...states]} />
      </select>
    </Field>
    <Field label="Operation">
      <select name="operation">
        <Options of={[ALL, ...Object.entries(OPERATIONS)]} />
      </select>
    </Field>
    <Field label="Environment">
      <select name="environment">
        <Options of={[ALL, ...OUTBOX_ENVIRONMENTS.map((name) => [name, name] as const)]} />
      </select>
    </Field>
    <Field label="Account">
      <input type="text" name="account" placeholder="all" autocomplete="off" maxLength={100} />
    </Field>
    <TimeFields from="Enqueued from" />
  </>
);
