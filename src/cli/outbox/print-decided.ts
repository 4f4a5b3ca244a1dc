import { printable, shownName } from '../../core/platform/messages.js';
import type { DecidedReport } from '../../outbox/decisions/decide-rows.js';
import { remark, say } from '../output.js';

/** Prints a report after a decision. Returns whether it was changed. */
export function printDecided(
  verb: string,
  { id, row, why }: DecidedReport,
  done: string,
  json?: true,
  settlement?: string,
): boolean {
  const message = `${verb}: ${shownName(id)}: ${why}.`;
  if (json) say(JSON.stringify(row ? { id, done: true, state: row.state, settlement } : { id, done: false, message }));
  else if (row) say(`${shownName(id)} ${done}`);
  else remark(`location-sdk: ${printable(message)}`);
  return row !== undefined;
}
