import { isConfigurationError } from '../../errors/guards.js';
import { unprintable } from '../../platform/printable.js';
import { missingKeyOf } from '../seal/seal.js';
import type { Row } from '../state-machine.js';
import type { ReportBody } from './data.js';
import type { Who } from './decisions.js';
import { type ConsoleParts, consoleOf, isShown } from './parts.js';
import { readWho } from './read-request.js';
import { recordOf } from './recorded-decision.js';
import { ConsoleRefusal } from './refusal.js';

/** Finds a report. Undefined if it does not exist, or the console does not show its account. */
export async function findRow(parts: ConsoleParts, id: string): Promise<Row | undefined> {
  const [row] = await parts.store.get([unprintable(id)]);
  return row && isShown(parts, row.account) ? row : undefined;
}

/** Reads the body of a report. Stores first who reads it. */
export async function readReportBody(parts: ConsoleParts, id: string, by: Who): Promise<ReportBody> {
  const console = consoleOf(parts, 'keep who has read a body');
  const { who, reason } = readWho(by);
  const row = await findRow(parts, id);
  if (!row) throw new ConsoleRefusal('not-found', 'The outbox has no such report.');
  if (row.body === undefined)
    throw new ConsoleRefusal('locked', 'The body of this report was deleted: the outbox keeps a body only until its report is final.');
  const about = JSON.stringify({ ids: [row.id] });
  const decision = await console.begin({ id: crypto.randomUUID(), action: 'body', who, reason, about, done: true });
  return { id, body: await opened(parts, row, row.body), decision: recordOf(decision) };
}

async function opened({ seal }: ConsoleParts, row: Row, body: string): Promise<string> {
  try {
    return await seal.open(body, row);
  } catch (error) {
    const keyId = missingKeyOf(error);
    if (keyId !== undefined)
      throw new ConsoleRefusal(
        'locked',
        `This body is encrypted with the key ${keyId}, which this process does not have. Open the console of an outbox that has it.`,
      );
    if (isConfigurationError(error)) throw new ConsoleRefusal('locked', 'This body cannot be opened with the settings of this process.');
    throw new ConsoleRefusal('locked', 'The stored body is damaged, or the outbox of another store has sealed it.');
  }
}
