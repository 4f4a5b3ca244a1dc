import { newSecret } from '../seal/key-ring.js';
import { isStorable } from '../stores/storable.js';
import type { ConsoleAbilities, ConsoleData } from './data.js';
import { decide } from './decide.js';
import { type ConsoleParts, consoleOf, isShown } from './parts.js';
import { preview } from './preview.js';
import { proofData } from './proof.js';
import { readCharts } from './read-charts.js';
import { readGroups } from './read-groups.js';
import { readLife } from './read-life.js';
import { readOverview } from './read-overview.js';
import { readReportBody } from './read-report-body.js';
import { readWho } from './read-request.js';
import { readSearch } from './read-search.js';
import { recordOf } from './recorded-decision.js';
import { ConsoleRefusal } from './refusal.js';
import { shownDecision, shownDecisions } from './shown-decision.js';
import { undo } from './undo.js';

/** Makes the console's data for a store, or for an outbox. */
export function consoleData(parts: ConsoleParts): ConsoleData {
  const isWhole = parts.store.console !== undefined;
  const can: ConsoleAbilities = { groups: isWhole, search: isWhole, decide: isWhole, charts: isWhole, body: isWhole };
  return {
    can,
    accounts: parts.accounts,
    overview: () => readOverview(parts),
    charts: (range, filter = {}) => readCharts(parts, range, filter),
    groups: (filter = {}) => readGroups(parts, filter),
    search: (filter = {}, cursor) => readSearch(parts, filter, cursor),
    report: (id) => readLife(parts, id),
    body: (id, by) => readReportBody(parts, id, by),
    preview: (selection, action) => preview(parts, selection, action),
    decide: (request) => decide(parts, request),
    undo: (request) => undo(parts, request),
    decisions: async (before) => {
      if (before !== undefined && !/^\d{1,15}$/.test(before)) throw new ConsoleRefusal('invalid', 'before: expected the `next` of the previous page.');
      return shownDecisions(parts, consoleOf(parts, 'keep decisions'), before === undefined ? undefined : Number(before));
    },
    decision: async (id) => {
      const console = consoleOf(parts, 'keep decisions');
      const found = await console.decision(id);
      return found && shownDecision(parts, console, found);
    },
    resume: async ({ account, environment }, by) => {
      const console = consoleOf(parts, 'keep decisions');
      const { who, reason } = readWho(by);
      if (!isShown(parts, account) || !isStorable(account)) throw new ConsoleRefusal('not-found', 'The console does not show an account of this name.');
      const about = JSON.stringify({ account, environment });
      const decision = await console.begin({ id: crypto.randomUUID(), action: 'resume', who, reason, about, done: true });
      return { lifted: await parts.resume(account, environment), decision: recordOf(decision) };
    },
    secret: () => parts.store.remember('console-secret', newSecret()),
    proof: proofData(parts),
  };
}
