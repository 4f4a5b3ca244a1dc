// Checks an exported log of receipts without this package. docs/how-to/records.md explains it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

let previous = '0'.repeat(64);
for (const line of readFileSync('receipts.jsonl', 'utf8').trimEnd().split('\n')) {
  const { hash, ...entry } = JSON.parse(line); // the names are sorted already
  const sound = createHash('sha256').update(JSON.stringify(entry)).digest('hex') === hash;
  if (!sound || entry.previous !== previous) throw new Error(`broken at ${entry.index}`);
  previous = hash;
}
