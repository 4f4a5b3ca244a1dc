// Runs an outbox over each of the given files, one after the other, and prints a line of JSON for each. Between two files
// it tells the gateway.
import { PassThrough, Readable } from 'node:stream';
import { main } from '../../../../src/cli/main.js';
import { createClient } from '../../../../src/entries/index.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { sqliteStore } from '../../../../src/entries/outbox-sqlite.js';

const [baseUrl = '', ...files] = process.argv.slice(2);
/** A drain that takes longer has not settled. */
const MOST_MS = 15_000;

async function command(...words: string[]): Promise<{ code: number; text: string }> {
  const terminal = { stdin: Readable.from(['']), stdout: new PassThrough(), stderr: new PassThrough() };
  let text = '';
  for (const stream of [terminal.stdout, terminal.stderr]) stream.on('data', (piece) => (text += piece));
  return { code: await main(words, terminal), text };
}

async function drained(file: string) {
  const errors: string[] = [];
  const rows: unknown[] = [];
  let settled = false;
  let pending: string[] = [];
  try {
    const store = await sqliteStore({ file });
    const client = createClient({
      gateways: { staging: { baseUrl, apiKey: 'key' } },
      environment: 'staging',
      logger: { warn: () => {} },
    });
    const outbox = createOutbox({ client, store, pollMs: 20, breakerAfter: 1_000 });
    outbox.on('error', ({ message, cause }) => errors.push(`${message} ${String(cause)}`));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, MOST_MS, 'late');
    });
    const result = await Promise.race([late, outbox.drain().catch((error: unknown) => errors.push(String(error)))]);
    clearTimeout(timer);
    settled = result !== 'late';
    try {
      for (const row of await store.list({ limit: 1_000 })) {
        await outbox.get(row.id);
        rows.push([row.operation, row.reference, row.state, row.problem?.code]);
      }
      pending = Object.entries((await outbox.stats()).states).flatMap(([state, count]) =>
        count > 0 ? [`${state} ${count}`] : [],
      );
    } catch (error) {
      errors.push(String(error));
    }
    await outbox.stop({ timeoutMs: 100 });
    await store.close?.();
  } catch (error) {
    errors.push(String(error));
    settled = true;
  }
  return { errors, rows, settled, pending };
}

for (const file of files) {
  const first = await drained(file);
  await fetch(`${baseUrl}/drained`);
  const list = await command('outbox', file, 'list');
  await fetch(`${baseUrl}/done`);
  process.stdout.write(`${JSON.stringify({ file, first, list })}\n`);
}
