// Checks an exported log of receipts without this package: node check-receipts.mjs receipts.jsonl
// docs/how-to/records.md explains it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const lines = readFileSync(process.argv[2] ?? 'receipts.jsonl', 'utf8')
  .trimEnd()
  .split('\n');
let previous = '0'.repeat(64);
for (const line of lines) {
  const { hash, ...entry } = JSON.parse(line); // the names are sorted already
  const sound = createHash('sha256').update(JSON.stringify(entry)).digest('hex') === hash;
  if (!sound || entry.previous !== previous) throw new Error(`broken at ${entry.index}`);
  previous = hash;
}
console.log(`${lines.length} lines, all sound`);
