import type { ReportSummary } from '../../src/operator/reports.js';
import type { SearchPage } from '../../src/operator/search.js';
import { ButtonList } from '../kit/list.js';
import { EmptyState } from '../kit/parts.js';
import { OPERATIONS } from '../kit/words.js';
import { reportHash } from './addresses.js';
import { ChoiceField, InputField } from './fields.js';
import { createFinder, TimeFields } from './finder.js';
import { ReportRow } from './report-list.js';
import type { ConsolePage, View } from './view.js';
import { states } from './words.js';

export const createSearch = (page: ConsolePage): View =>
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
          items={found.map((report) => ({ key: report.id, content: <ReportRow report={report} now={now} /> }))}
          onSelect={(key) => page.go(reportHash(key))}
        />
      </>
    ),
  });

const ALL = ['', 'all'] as const;
const ENVIRONMENTS = (['staging', 'production', 'relay'] as const).map((name) => [name, name] as const);

const Fields = () => (
  <>
    <InputField
      label="Reference or id"
      type="search"
      spellcheck={false}
      name="text"
      placeholder="bet_id, request_id or id"
      maxLength={500}
    />
    <ChoiceField label="State" name="state" of={[ALL, ...states]} />
    <ChoiceField label="Operation" name="operation" of={[ALL, ...Object.entries(OPERATIONS)]} />
    <ChoiceField label="Environment" name="environment" of={[ALL, ...ENVIRONMENTS]} />
    <InputField label="Account" type="text" name="account" placeholder="all" maxLength={100} />
    <TimeFields from="Enqueued from" />
  </>
);
