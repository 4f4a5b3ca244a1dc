import { createGroup } from './group.js';
import { createOverview } from './overview.js';
import { createPerson, groupFrom } from './person.js';
import { createProof } from './proof.js';
import { createReport } from './report.js';
import { createSearch } from './search.js';
import type { Page, View } from './view.js';

/** The tabs, in the order of their keys. */
export const TABS = ['#/', '#/person', '#/search', '#/proof'] as const;

/** The view that an address names. It stands behind the #, which no browser sends. */
export function viewOf(hash: string, page: Page): View {
  const [, name = '', rest = ''] = /^#\/([a-z]*)\/?(.*)$/.exec(hash) ?? [];
  const text = decoded(rest);
  const group = name === 'person' && text !== '' ? groupFrom(text) : undefined;
  if (group) return createGroup(page, group);
  if (name === 'person') return createPerson(page);
  if (name === 'search') return createSearch(page);
  if (name === 'report' && text !== '') return createReport(page, text);
  if (name === 'proof') return createProof(page);
  return createOverview(page);
}

/** The tab that a view belongs to; a report belongs to where one came from. */
export const tabOf = (hash: string): string | undefined => TABS.find((tab) => (tab === '#/' ? hash === '' || hash === tab : hash.startsWith(tab)));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
