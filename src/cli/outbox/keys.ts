import { printable } from '../../core/platform/messages.js';
import { isFinal, type Row } from '../../outbox/rules/state-machine.js';
import { keyIdOfExcerpt } from '../../outbox/seal/excerpt.js';
import { keyIdOf, keyIdOfFingerprint } from '../../outbox/seal/standard-seal.js';
import { scanRows } from '../../outbox/store/store.js';
import { EXIT, remark, say, table } from '../output.js';
import type { RunCommand } from './options.js';
import { grouped } from './text.js';

interface Need {
  /** Reports to be sent, sealed with the key. */
  open: number;
  /** Final reports whose body is sealed with it. */
  kept: number;
  /** Final withdrawals of which only the location is kept, sealed with it. */
  locations: number;
  /** Final reports whose fingerprint was made with it. */
  fingerprints: number;
  /** Whether the newest fingerprint of an account was made with it: it may be the current key. */
  newest: boolean;
}

/** Counts the reports of all accounts, since any of them may need a key. */
export const keys: RunCommand = async ({ store }, { json }) => {
  const needs = await needsOf(scanRows(store, {}));
  if (json)
    for (const [keyId, need] of needs)
      say(JSON.stringify({ keyId, ...need, canBeRetired: reasonToKeep(need) === undefined }));
  else if (needs.length === 0) remark('No report was encrypted.');
  else {
    const rows = needs.map(([id, need]) => [
      printable(id),
      ...[need.open, need.kept, need.locations, need.fingerprints].map(grouped),
      reasonToKeep(need) ?? 'can be retired',
    ]);
    say(table([['KEY', 'OPEN', 'KEPT', 'LOCATIONS', 'HASHES', ''], ...rows]));
    remark(
      '\nRetire a key once no instance names it as current. A report whose hash it made is then refused if it is enqueued again, and the settlement of a withdrawal whose location it encrypted must be given its location.',
    );
  }
  return EXIT.done;
};

function reasonToKeep({ open, kept, newest }: Need): string | undefined {
  if (open > 0) return 'needed to send';
  if (kept > 0) return 'needed to read kept bodies';
  return newest ? 'made the newest hash' : undefined;
}

async function needsOf(rows: AsyncIterable<Row>): Promise<(readonly [keyId: string, need: Need])[]> {
  const needs = new Map<string, Need>();
  const newest = new Map<string, string | undefined>();
  const needOf = (id: string): Need => {
    const need = needs.get(id) ?? { open: 0, kept: 0, locations: 0, fingerprints: 0, newest: false };
    needs.set(id, need);
    return need;
  };
  for await (const row of rows) {
    const { account, state, body, fingerprint } = row;
    const ofBody = body === undefined ? undefined : keyIdOf(body);
    const ofLocation = body === undefined ? keyIdOfExcerpt(row) : undefined;
    const ofFingerprint = keyIdOfFingerprint(fingerprint);
    newest.set(account, ofFingerprint);
    if (ofBody !== undefined) needOf(ofBody)[isFinal(state) ? 'kept' : 'open'] += 1;
    if (ofLocation !== undefined) needOf(ofLocation).locations += 1;
    if (ofFingerprint !== undefined && isFinal(state)) needOf(ofFingerprint).fingerprints += 1;
  }
  for (const id of newest.values()) if (id !== undefined) needOf(id).newest = true;
  return [...needs].sort(([a], [b]) => (a < b ? -1 : 1));
}
