import { unprintable } from '../../platform/printable.js';
import type { Row } from '../state-machine.js';
import type { SearchFilter, SearchPage } from './data.js';
import type { GroupKey } from './decisions.js';
import { type ConsoleParts, consoleOf, isShown } from './parts.js';
import { readGroup } from './read-request.js';
import { ConsoleRefusal } from './refusal.js';
import { summaryOf } from './shown-report.js';

const PAGE = 50;
const MOST = 200;
/** The number of rows that a page reads. */
const LOOK = 10_000;
/** Larger than the number of reports of one reference in all accounts and environments. */
const MOST_OF_REFERENCE = 500;

/** Reads a page of reports, the newest first. */
export async function readSearch(parts: ConsoleParts, filter: SearchFilter, cursor: string | undefined): Promise<SearchPage> {
  const { text, account, environment, operation, state, from, to, limit = PAGE } = filter;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) throw new ConsoleRefusal('invalid', `limit: expected a whole number from 1 to ${MOST}.`);
  if (filter.group) return groupPage(parts, filter.group, limit, cursor);
  const isBlocked = state === 'blocked';
  if (text !== undefined && text.trim() !== '') {
    const rows = (await named(parts, unprintable(text.trim()))).filter((row) => isShown(parts, row.account) && fits(row, filter));
    return { reports: rows.sort((a, b) => b.sequence - a.sequence).map(summaryOf), next: null, reached: null };
  }
  const console = consoleOf(parts, 'search by more than an id or a reference');
  const { rows, reached } = await console.search({
    accounts: parts.accounts,
    account,
    environment,
    operation,
    state: isBlocked ? 'waiting' : state,
    blocked: state === undefined ? undefined : state === 'waiting' ? false : isBlocked,
    from,
    to,
    before: readCursor(cursor),
    limit,
    look: LOOK,
  });
  return { reports: rows.map(summaryOf), next: reached ? String(reached.sequence) : null, reached: reached?.enqueuedAt ?? null };
}

/** A page of the reports of a group, in the order in which a decision changes them. */
async function groupPage(parts: ConsoleParts, given: GroupKey, limit: number, cursor: string | undefined): Promise<SearchPage> {
  const console = consoleOf(parts, 'group reports');
  const of = readGroup(given);
  const after = cursor === undefined ? 0 : readCursor(cursor);
  const rows = isShown(parts, of.account) ? await console.quarantined({ of, asOf: await console.now(), after, limit }) : [];
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { reports: rows.map(summaryOf), next: last ? String(last.sequence) : null, reached: last?.enqueuedAt ?? null };
}

async function named({ store }: ConsoleParts, name: string): Promise<readonly Row[]> {
  const [row] = await store.get([name]);
  return row ? [row] : store.list({ reference: name, limit: MOST_OF_REFERENCE });
}

const fits = (row: Row, { account, environment, operation, state, from, to }: SearchFilter): boolean =>
  (account ?? row.account) === row.account &&
  (environment ?? row.environment) === row.environment &&
  (operation ?? row.operation) === row.operation &&
  (state ?? (row.blocked ? 'blocked' : row.state)) === (row.blocked ? 'blocked' : row.state) &&
  row.enqueuedAt >= (from ?? row.enqueuedAt) &&
  (to === undefined || row.enqueuedAt < to);

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  if (/^\d{1,16}$/.test(cursor) && Number.isSafeInteger(Number(cursor))) return Number(cursor);
  throw new ConsoleRefusal('invalid', 'cursor: expected the `next` of the previous page.');
}
