import { keyIdOf, keyIdOfFingerprint } from '../../outbox/seal/standard-seal.js';
import { isFinal, type Row } from '../../outbox/state-machine.js';
import { EXIT, printable, remark, say } from '../output.js';
import type { OutboxValues } from './options.js';
import { table, type View } from './printable.js';
import { counted, startProgress } from './progress.js';
import { scan } from './scan.js';

/** The reports that need a key. */
interface Need {
  /** Reports that are not final and are sealed with the key. */
  open: number;
  /** Final reports with a kept body that is sealed with the key. */
  kept: number;
  /** Final reports with a fingerprint that was made with the key. */
  fingerprints: number;
  /** Whether the newest fingerprint of an account was made with it: it may be the current key. */
  newest: boolean;
}

/** Prints which encryption keys the reports need, and which of them can be retired. */
export async function keys({ store }: View, { account, environment, operation, json }: OutboxValues): Promise<number> {
  const progress = startProgress('Read');
  const needs = await needsOf(counted(scan(store, { account, environment, operation }), progress));
  progress.end();
  // Other reports may need the key.
  const isNarrowed = (account ?? environment ?? operation) !== undefined;
  const ids = [...needs.keys()].sort();
  const canBeRetired = ({ open, kept, newest }: Need): boolean => !isNarrowed && open + kept === 0 && !newest;
  if (json) {
    for (const [id, need] of [...needs].sort(([a], [b]) => (a < b ? -1 : 1))) say(JSON.stringify({ keyId: id, ...need, canBeRetired: canBeRetired(need) }));
    return EXIT.done;
  }
  if (needs.size === 0) {
    remark('No report was sealed with an encryption key.');
    return EXIT.done;
  }
  say(
    table(
      ['KEY', 'OPEN', 'KEPT', 'FINGERPRINTS', ''],
      ids.map((id) => {
        const need = needs.get(id) ?? emptyNeed();
        const { open, kept, fingerprints } = need;
        return [printable(id), ...[open, kept, fingerprints].map((count) => count.toLocaleString('en')), canBeRetired(need) ? 'can be retired' : why(need)];
      }),
    ),
  );
  if (isNarrowed)
    remark('\nOther reports were not counted. To see which keys can be retired, run the command without --account, --environment and --operation.');
  else remark('\nRetire a key once no instance names it as current. A report whose fingerprint it made is then refused if it is enqueued again.');
  return EXIT.done;
}

const why = ({ open, kept, newest }: Need): string =>
  open > 0 ? 'needed to send' : kept > 0 ? 'needed to read kept bodies' : newest ? 'made the newest fingerprint' : '';

const emptyNeed = (): Need => ({ open: 0, kept: 0, fingerprints: 0, newest: false });

async function needsOf(rows: AsyncIterable<Row>): Promise<ReadonlyMap<string, Need>> {
  const needs = new Map<string, Need>();
  const newest = new Map<string, string | undefined>();
  const of = (id: string): Need => {
    const need = needs.get(id) ?? emptyNeed();
    needs.set(id, need);
    return need;
  };
  for await (const { account, state, body, fingerprint } of rows) {
    const [ofBody, ofFingerprint] = [body === undefined ? undefined : keyIdOf(body), keyIdOfFingerprint(fingerprint)];
    newest.set(account, ofFingerprint);
    if (ofBody !== undefined) of(ofBody)[isFinal(state) ? 'kept' : 'open'] += 1;
    if (ofFingerprint !== undefined && isFinal(state)) of(ofFingerprint).fingerprints += 1;
  }
  for (const id of newest.values()) if (id !== undefined) of(id).newest = true;
  return needs;
}
